#include "shell/commands/base/run_request.h"

#include <algorithm>

#include "shell/commands/base/feeds.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/edit/code_tokens.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/frame_text.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/catalogue.h"
#include "shell/session/effects.h"
#include "shell/session/fetch.h"
#include "shell/session/recording.h"
#include "shell/session/sessions.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/names/tf.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kEffectsNamed = 3;
constexpr size_t kPrunedListed = 1000;
constexpr std::string_view kClauses[] = {"feed", "on", "times", "until"};

// Returns true if the text can be a node name that is not a Python name, such as "layer/add" or
// "add:0".
bool LooksLikeNode(std::string_view text) {
  const bool chars = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/' || c == ':' || c == '-';
  });
  return chars && !(text[0] >= '0' && text[0] <= '9');
}

// Returns true for "add:0", and stores "add". Python has no such expression apart from a lambda.
bool IsOutputName(std::string_view text, std::string_view* node) {
  const size_t colon = text.rfind(':');
  *node = text.substr(0, colon);
  return LooksLikeNode(text) && colon != text.npos && colon + 1 < text.size() &&
         text.find_first_not_of("0123456789", colon + 1) == text.npos && *node != "lambda";
}

bool IsGlobal(Shell& shell, std::string_view name) {
  return !shell.interp().GetGlobal(name).is_null();
}

// Returns true if both sides of a slash are Python values, as in "w/scale". If no variable `read`
// exists, "w/read" is a node name.
bool IsDivision(Shell& shell, std::string_view piece) {
  for (size_t slash = piece.find('/'); slash != piece.npos; slash = piece.find('/', slash + 1)) {
    const std::string_view part =
        piece.substr(slash + 1, piece.find_first_of("/:.-", slash + 1) - slash - 1);
    if (IsName(part) && !IsGlobal(shell, part)) return false;
  }
  return true;
}

// Throws the error for an output that does not exist, such as "alpah:0" or "alpha:7".
[[noreturn]] void NoSuchOutput(Shell& shell, std::string_view name, std::string_view node) {
  if (const Fetch fetch = AsFetch(FindByName(node))) {
    const std::string text(node);
    const size_t outputs = fetch.graph.NumOutputs(fetch.node);
    throw NameError("'" + text + "' has " + Count(static_cast<int64_t>(outputs), "output"))
        .Type(outputs == 0 ? "run " + text : "eval " + text + ":" + std::to_string(outputs - 1));
  }
  PyError error = NameError("no node is named '" + std::string(node) + "'");
  const Fetch variable = AsFetch(shell.interp().GetGlobal(node));
  if (variable.is_tensor())
    throw error.Hint("the variable " + std::string(node) + " is the tensor " +
                     variable.graph.NodeName(variable.node) + ":" +
                     std::to_string(variable.output.index));
  std::vector<std::string> names = shell.NamesInVerb();
  for (std::string& each : names) each += name.substr(node.size());
  const ErrorHint meant = DidYouMean(name, names);
  throw meant.empty() ? error.Hint("`nodes` lists the nodes") : error.Hint(meant);
}

// Returns true if the name is that of an opened model, which is also the scope of its nodes and
// cannot be divided.
bool IsScope(Shell& shell, std::string_view name) {
  const Value value = shell.interp().GetGlobal(name);
  if (value.is_null() || !TypeName(value).ends_with("Model")) return false;
  const Value prefix = FindAttr(value, Intern("_prefix"));
  return IsStr(prefix) && Str(prefix) == std::string(name) + "/";
}

Value NodeByName(Shell& shell, std::string_view piece) {
  if (!LooksLikeNode(piece)) return Value();
  if (std::string_view node; IsOutputName(piece, &node)) {
    const Value found = FindByName(piece);
    if (found.is_null()) At(shell, piece, [&] { NoSuchOutput(shell, piece, node); });
    return found;
  }
  const std::string_view base = piece.substr(0, piece.find_first_of("/:.-"));
  const bool divides = IsGlobal(shell, base) && IsDivision(shell, piece) && !IsScope(shell, base);
  return divides ? Value() : FindByName(piece);
}

// Throws for a piece that is not NAME=VALUE. A dict, as for feed_dict, is answered with the form that
// is meant.
[[noreturn]] void RefuseFeed(CommandCall& call, std::string_view piece) {
  const std::string what = "feed expects NAME=VALUE or again, not '" + std::string(piece) + "'";
  std::string_view inside = piece;
  if (inside.starts_with('{') && inside.ends_with('}'))
    inside = Trim(inside.substr(1, inside.size() - 2));
  const size_t colon = inside.find(':');
  if (colon == inside.npos) call.Misused(what);
  throw MakeError(kSyntaxError, std::string(call.command().name) + ": " + what)
      .Hint("Write " + std::string(Trim(inside.substr(0, colon))) + "=" +
            std::string(Trim(inside.substr(colon + 1))));
}

// Adds the feeds of the text to `request`. The word `again` means the feeds of the last verb.
void ParseFeeds(Shell& shell, CommandCall& call, std::string_view text, RunRequest* request) {
  if (request->feeds.is_null()) request->feeds = MakeDict();
  const Value& dict = request->feeds;
  for (const std::string_view piece : SplitCommas(text)) {
    std::string_view left, right;
    if (piece == "again") {
      AddLastFeeds(shell, request);
      continue;
    }
    if (!SplitAssignment(piece, &left, &right) || left.empty() || right.empty())
      RefuseFeed(call, piece);
    Value key = EvalPiece(shell, left);
    // A variable of the program may have the name of a node, as in `feed x=x`.
    if (!AsFetch(key))
      if (const Value node = FindByName(left); !node.is_null()) key = node;
    SetItem(dict, key, shell.interp().Eval(right));
  }
}

}  // namespace

void AddPlace(Shell& shell, const PyError& error, std::string_view piece) {
  auto& trace = error.exception().trace;
  if (trace.empty()) trace.push_back({shell.interp().Locate(piece), "<module>"});
}

namespace {

// Returns a word of the expression that is the name of a node but not a Python name, such as
// "layer/add", or "".
std::string NodeInside(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n()[],*+=";
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (word.find('/') != word.npos && LooksLikeNode(word) && !FindByName(word).is_null())
      return std::string(word);
    at = end + 1;
  }
  return "";
}

// Evaluates an expression. If it fails because it contains a node name with a slash, or nearly such
// a name ("layer/ad"), which Python would take for a division, the error says so.
Value EvalExpression(Shell& shell, std::string_view piece) {
  if (piece.find('/') == piece.npos) return shell.interp().Eval(piece);
  try {
    return shell.interp().Eval(piece);
  } catch (const PyError& error) {
    if (!error.Is(kNameError) && !error.Is(kSyntaxError)) throw;
    const ErrorHint meant =
        LooksLikeNode(piece) ? DidYouMean(piece, shell.NamesInVerb()) : ErrorHint();
    const std::string inside = NodeInside(piece);
    if (meant.empty() && inside.empty()) throw;
    PyError better =
        NameError(meant.empty() ? "a name with a slash is not a Python name: '" + inside + "'"
                                : "no node is named '" + std::string(piece) + "'");
    AddPlace(shell, better, piece);
    const std::string tensor = inside.find(':') == inside.npos ? inside + ":0" : inside;
    if (meant.empty())
      throw better.Hint(
          "Alone, it denotes the node. In an expression, write "
          "tf.get_default_graph().get_tensor_by_name('" +
          tensor + "')");
    throw better.Hint(meant);
  }
}

}  // namespace

Value EvalPiece(Shell& shell, std::string_view piece) {
  const Value node = NodeByName(shell, piece);
  const Value value = node.is_null() ? EvalExpression(shell, piece) : node;
  if (!shell.versions().earlier()) return value;
  const Fetch fetch = AsFetch(value);
  if (fetch) At(shell, piece, [&] { shell.versions().CheckVisible(fetch.graph, fetch.node); });
  return value;
}

Fetch EvalNode(Shell& shell, std::string_view piece, const char* hint) {
  return At(shell, piece, [&] {
    const Value value = EvalPiece(shell, piece);
    Fetch fetch = ToFetch(value);
    if (!fetch)
      throw TypeError("'" + TypeName(value) + "' object is not a node of a graph").Hint(hint);
    return fetch;
  });
}

namespace {

// Python's functions that only compute a value.
constexpr std::string_view kPureFunctions[] = {
    "abs",   "bool",  "dict", "dir",   "float", "id",  "int",   "len",  "list", "max", "min",
    "print", "range", "repr", "round", "str",   "sum", "tuple", "type", "zip",  "set", "sorted"};

// Returns true if calling the function may change a variable of the program. `path` is dotted.
bool MayChange(Shell& shell, std::string_view path) {
  const size_t dot = path.find('.');
  const std::string_view root = path.substr(0, dot);
  const Value global = shell.interp().GetGlobal(root);
  if (global.is_null() && dot == path.npos)
    return std::find(std::begin(kPureFunctions), std::end(kPureFunctions), path) ==
               std::end(kPureFunctions) &&
           tf::FindInVerb(path).is_null();
  const Value value = global.is_null() ? shell.interp().FindBuiltin(Intern(root)) : global;
  if (CatalogueOf(value) != nullptr) return false;  // tf.exp, np.zeros
  return !AsFetch(value) || path.ends_with(".load");
}

// Returns true if evaluating the expression may change a variable of the program.
bool MayChangeVariables(Shell& shell, std::string_view piece) {
  if (piece.find_first_of("(:") == piece.npos) return false;
  const std::vector<CodeToken> tokens = TokensOf(piece);
  size_t path = 0;  // where the dotted name before the current token begins
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view word = tokens[i].In(piece);
    if (word == ":" && i + 1 < tokens.size() && tokens[i + 1].In(piece) == "=") return true;
    const bool name = tokens[i].kind == CodeToken::Kind::kName;
    const bool joins = i > 0 && (word == "." || tokens[i - 1].In(piece) == ".");
    if (name && !joins) path = tokens[i].from;
    const bool called = i > 0 && word == "(" && tokens[i - 1].kind == CodeToken::Kind::kName;
    if (called && MayChange(shell, piece.substr(path, tokens[i - 1].to - path))) return true;
  }
  return false;
}

}  // namespace

namespace {

// Returns the clauses in the usage of a verb, such as `times` in "[times N]".
std::vector<std::string> ClausesOf(std::string_view usage) {
  std::vector<std::string> words;
  for (size_t at = usage.find('['); at != usage.npos; at = usage.find('[', at + 1)) {
    const std::string_view inside = usage.substr(at + 1);
    const std::string_view word = inside.substr(0, inside.find_first_of(" ]"));
    if (IsName(word)) words.emplace_back(word);
  }
  return words;
}

// Returns true for NAME=VALUE, and for the `with` of other languages.
bool IsFeed(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == word.npos) return word == "with";
  return IsName(word.substr(0, equals)) && !word.substr(equals).starts_with("==");
}

// Evaluates a fetch. If it ends at or begins with a word that is nearly one of the verb, as in
// `run a tiems 3` and `explain anlyze a`, the error suggests that word.
Value EvalFetchText(CommandCall& call, std::string_view piece) {
  try {
    return EvalPiece(call.shell(), piece);
  } catch (PyError& error) {
    const std::vector<TraceEntry>& trace = error.exception().trace;
    if (!error.Is(kSyntaxError) || trace.empty() || !error.exception().hint.empty()) throw;
    const std::string& line = trace.back().where.text;
    const size_t at = ByteOfColumn(line, trace.back().where.column);
    const std::vector<std::string> clauses = ClausesOf(call.command().usage);
    for (const std::string_view word :
         {FirstWord(std::string_view(line).substr(at)), FirstWord(piece)})
      if (word.starts_with("feed_dict") || IsFeed(word))
        error.Hint("Write feed NAME=VALUE");
      else if (word == "feed")
        error.Hint("Write `feed` without a comma before it");
      else if (error.exception().hint.empty() && IsName(word))
        error.Hint(DidYouMean(word, clauses));
    throw;
  }
}

// Returns the length of the text before the arguments if an expression is a single call of a dotted
// name, such as m.serving_default(x=…), or npos.
size_t CalledName(std::string_view piece) {
  const std::vector<CodeToken> tokens = TokensOf(piece);
  size_t i = 0;
  while (i < tokens.size() &&
         (tokens[i].kind == CodeToken::Kind::kName || tokens[i].In(piece) == "."))
    ++i;
  if (i == 0 || i == tokens.size() || tokens[i].In(piece) != "(") return piece.npos;
  const size_t open = i;
  for (int depth = 0; i < tokens.size(); ++i) {
    const std::string_view word = tokens[i].In(piece);
    if (word == "(" || word == "[" || word == "{") ++depth;
    if ((word == ")" || word == "]" || word == "}") && --depth == 0) break;
  }
  return i + 1 == tokens.size() ? tokens[open].from : piece.npos;
}

// The call of a model's signature runs a step and returns its values. A verb that looks at steps
// gets the step itself: its outputs as the fetch, and its inputs as feeds. Returns null for any
// other expression.
Value SignatureStep(CommandCall& call, std::string_view piece, RunRequest* request) {
  constexpr std::string_view kOfValues[] = {"eval", "time", "plot", "save"};
  const std::string_view verb = request->verb;
  if (std::find(std::begin(kOfValues), std::end(kOfValues), verb) != std::end(kOfValues)) return {};
  const size_t open = CalledName(piece);
  if (open == piece.npos) return {};
  Shell& shell = call.shell();
  const std::string_view name = piece.substr(0, open);
  const Value root = shell.interp().GetGlobal(name.substr(0, name.find('.')));
  if (root.is_null()) return {};
  const std::string type = TypeName(root);
  if (!type.ends_with("Model") && !type.ends_with("Signature")) return {};
  const Value step = At(shell, piece, [&] {
    try {
      return shell.interp().Eval(std::string(name) + "._step" + std::string(piece.substr(open)));
    } catch (PyError& error) {
      error.exception().trace.clear();  // it shows text that the user did not type
      throw;
    }
  });
  const std::vector<Value>* parts = Sequence(step);
  if (parts == nullptr || parts->size() != 2) return {};
  if (request->feeds.is_null()) request->feeds = MakeDict();
  for (size_t i = 0; const Dict::Entry* fed = As<DictObject>((*parts)[1])->dict.At(&i);)
    SetItem(request->feeds, fed->key, fed->value);
  auto* outputs = As<DictObject>((*parts)[0]);
  if (outputs == nullptr || outputs->dict.size() != 1) return (*parts)[0];
  size_t first = 0;
  return outputs->dict.At(&first)->value;
}

// Verbs that run a step need the inputs of a signature. Others take the signature itself, as save does.
void CheckIsCalled(const Value& value, std::string_view verb, std::string_view piece) {
  constexpr std::string_view kOfSteps[] = {"bench", "explain", "plot", "profile",
                                           "run",   "show",    "step", "why"};
  if (std::find(std::begin(kOfSteps), std::end(kOfSteps), verb) == std::end(kOfSteps)) return;
  const bool is_model = TypeName(value).ends_with("Model");
  if (!is_model && !TypeName(value).ends_with("Signature")) return;
  const Value signature = is_model ? Call(FindAttr(value, Intern("_main")), {}) : value;
  const Value sample = Call(FindAttr(signature, Intern("sample")), {});
  throw TypeError(std::string(piece) + " is a " + (is_model ? "model" : "signature") +
                  ", which is called with its inputs")
      .Type(std::string(verb) + (verb == "why" ? " nan " : " ") + Str(sample));
}

}  // namespace

RunRequest ParseRun(CommandCall& call, std::string_view text) {
  RunRequest request;
  request.verb = call.command().name;
  request.text = std::string(text);
  Shell& shell = call.shell();
  const std::vector<Clause> clauses = SplitClauses(text, kClauses);
  request.target = std::string(clauses[0].text);
  request.pieces = SplitCommas(clauses[0].text);
  if (request.pieces.empty()) call.Misused("needs an expression");
  for (const std::string_view piece : request.pieces) {
    if (piece.empty()) call.Misused("an expression is missing between two commas");
    if (MayChangeVariables(shell, piece)) shell.NoteChange();
    const Value step = SignatureStep(call, piece, &request);
    request.fetches.push_back(step.is_null() ? EvalFetchText(call, piece) : step);
    At(shell, piece, [&] { CheckIsCalled(request.fetches.back(), request.verb, piece); });
  }
  for (const Clause& clause : clauses) {
    if (clause.word.empty()) continue;
    if (clause.text.empty()) call.Misused("nothing follows '" + std::string(clause.word) + "'");
    if (clause.word == "feed") ParseFeeds(shell, call, clause.text, &request);
    if (clause.word == "on") request.session = shell.interp().Eval(clause.text);
    if (clause.word == "times") request.times = clause.text;
    if (clause.word == "until") request.until = clause.text;
  }
  request.ends_with_feed = clauses.back().word == "feed";
  if (!request.feeds.is_null()) shell.set_last_feeds(request.feeds);
  return request;
}

Fetch FirstFetch(const Value& value) {
  if (Fetch fetch = AsFetch(value)) return fetch;
  RecursionGuard guard(" while looking for tensors");
  if (const std::vector<Value>* items = Sequence(value)) {
    for (const Value& item : *items)
      if (Fetch fetch = FirstFetch(item)) return fetch;
  }
  if (auto* dict = As<DictObject>(value)) {
    for (size_t i = 0; const Dict::Entry* entry = dict->dict.At(&i);)
      if (Fetch fetch = FirstFetch(entry->value)) return fetch;
  }
  return {};
}

Value SessionFor(Shell& shell, const RunRequest& request) {
  if (!request.session.is_null()) return request.session;
  for (const Value& value : request.fetches)
    if (const Fetch fetch = FirstFetch(value)) return SessionOver(shell, fetch.graph);
  return shell.sessions().Current();
}

Value SessionOver(Shell& shell, const GraphHandle& graph) {
  Value found = shell.sessions().Over(graph);
  if (!found.is_null()) return found;
  // The values of the variables may be held by a session that a variable of the program, such as
  // `sess`, refers to.
  for (const std::string& name : shell.interp().CompletionNames()) {
    const Value global = shell.interp().GetGlobal(name);
    auto* session = global.is_null() ? nullptr : As<tf::SessionObject>(global);
    if (session != nullptr && !session->closed() && session->graph().raw() == graph.get())
      found = global;
  }
  return found.is_null() ? shell.sessions().OpenOver(graph) : found;
}

namespace {

void AddFetch(tsh_session* session, const Value& value, tf::FlatRun* step);

// The fed tensors do not matter: without them, the run needs more nodes.
void NoteRun(Shell& shell, const Value& session, const Value& fetch) {
  if (!shell.WantsChange()) return;
  tf::FlatRun step;
  AddFetch(SessionOf(session), fetch, &step);
  NoteRun(shell, SessionOf(session), step.run());
}

}  // namespace

void NoteRun(Shell& shell, tsh_session* session, const tsh_run& run) {
  if (ChangesState(GraphHandle::Share(tsh_session_graph(session)), run)) shell.NoteChange();
}

Value RunStep(Shell& shell, const RunRequest& request, const Value& session, const Value& fetch,
              std::string_view piece) {
  try {
    const Value result = At(shell, piece, [&] {
      if (request.feeds.is_null()) return CallMethod(session, "run", {fetch});
      return CallMethod(session, "run", {fetch, request.feeds});
    });
    NoteRun(shell, session, fetch);
    return result;
  } catch (PyError& error) {
    if (const Fetch first = FirstFetch(fetch)) HintAtFeeds(request, first.graph, error);
    throw;
  }
}

Value EvalFetch(Shell& shell, const RunRequest& request, size_t i) {
  const Value& value = request.fetches[i];
  if (!IsRunnable(value)) return value;
  return RunStep(shell, request, SessionFor(shell, request), value, request.pieces[i]);
}

namespace {

// At the prompt, reminds the user of nodes with side effects that the run left out.
void NoteEffectsNotRun(Shell& shell, const GraphHandle& graph, const tsh_run& run) {
  const std::vector<tsh_node> nodes = shell.effects().NotRun(graph, run);
  if (nodes.empty()) return;
  std::vector<std::string> named;
  for (size_t i = 0; i < nodes.size() && i < kEffectsNamed; ++i)
    named.push_back(Visible(graph.NodeName(nodes[i])) + " (" + Visible(graph.NodeOp(nodes[i])) +
                    ")");
  const size_t more = nodes.size() - named.size();
  const std::string first = Visible(graph.NodeName(nodes[0]));
  const std::string note =
      " not run: " + Join(named, ", ") +
      (more > 0 ? " and " + Digits(static_cast<int64_t>(more)) + " more" : "") +
      ": nothing that was fetched depends on " + (nodes.size() > 1 ? "them" : "it") +
      ". Run it: run " + first + " · why not " + first;
  shell.out().Note(note);
}

}  // namespace

void AfterRun(Shell& shell, const RunRequest& request, const std::vector<Value>& values) {
  std::vector<FetchedValue> fetched;
  for (size_t i = 0; i < request.fetches.size() && i < values.size(); ++i)
    if (const Fetch fetch = AsFetch(request.fetches[i]); fetch.is_tensor())
      fetched.push_back({fetch.graph.id(), fetch.output, values[i]});
  shell.runs().SetFetched(std::move(fetched));
  shell.runs().NoteTyped(request.text, request.target);
  if (!shell.options().interactive) return;
  bool any = false;
  for (const Value& fetch : request.fetches) any = any || IsRunnable(fetch);
  if (!any) return;
  const Value session_value = SessionFor(shell, request);
  tsh_session* session = SessionOf(session_value);
  RunRequest part = request;
  part.fetches.clear(), part.pieces.clear();
  for (size_t i = 0; i < request.fetches.size(); ++i) {
    if (!IsRunnable(request.fetches[i])) continue;
    part.fetches.push_back(request.fetches[i]);
    part.pieces.push_back(request.pieces[i]);
  }
  const tf::FlatRun step = StepOf(shell, part, session);
  const tsh_run run = step.run();
  const GraphHandle graph = GraphHandle::Share(tsh_session_graph(session));
  NoteEffectsNotRun(shell, graph, run);
  Status status;
  // The report is made now and not when `why` asks, because the nodes that were added for this run
  // are about to be removed.
  const std::string recorded = RecordedReport();
  const std::string report =
      recorded.empty() ? TakeText(tsh_session_explain(session, &run, kPrunedListed, status))
                       : recorded;
  if (!report.empty())
    shell.runs().Add({request.text, request.target, report, graph.id()}, !recorded.empty());
}

void CheckGraph(tsh_session* session, const GraphHandle& graph, const char* name) {
  const tsh_graph* runs = tsh_session_graph(session);
  if (runs == graph.get()) return;
  throw ValueError(std::string(name) + " belongs to graph g" + std::to_string(graph.id()) +
                   ", session s" + std::to_string(tsh_session_id(session)) + " runs " +
                   (runs == nullptr ? "none" : "g" + std::to_string(tsh_graph_id(runs))))
      .Hint("Give a session over its graph: … on SESSION");
}

namespace {

void AddFetch(tsh_session* session, const Value& value, tf::FlatRun* step) {
  if (const std::vector<Value>* items = Sequence(value)) {
    for (const Value& item : *items) AddFetch(session, item, step);
    return;
  }
  if (auto* dict = As<DictObject>(value)) {
    for (size_t i = 0; const Dict::Entry* entry = dict->dict.At(&i);)
      AddFetch(session, entry->value, step);
    return;
  }
  const Fetch fetch = ToFetch(value);
  if (fetch) CheckGraph(session, fetch.graph, fetch.graph.NodeName(fetch.node));
  if (fetch.is_tensor()) {
    step->fetches.push_back(fetch.output);
  } else if (fetch.kind == Fetch::Kind::kOperation) {
    step->targets.push_back(fetch.node);
  } else {
    throw TypeError("'" + TypeName(value) +
                    "' object is not part of a graph: " + CutTo(Repr(value), 60))
        .Hint("Give a tensor, an operation or a node's name; `nodes` lists them");
  }
}

void AddFeeds(tsh_session* session, const Value& feeds, tf::FlatRun* step) {
  auto* dict = As<DictObject>(feeds);
  for (size_t i = 0; const Dict::Entry* entry = dict->dict.At(&i);) {
    const Fetch feed = ToFetch(entry->key);
    if (!feed.is_tensor()) {
      throw TypeError("cannot feed " + CutTo(Repr(entry->key), 60) +
                      ": it is not a tensor of this graph");
    }
    CheckGraph(session, feed.graph, feed.graph.NodeName(feed.node));
    step->feeds.push_back(feed.output);
    const std::string name = feed.graph.NodeName(feed.output.node);
    step->values.push_back(tf::ToFeed(entry->value, tf::BaseType(feed.graph.DType(feed.output)),
                                      name + ":" + std::to_string(feed.output.index)));
  }
}

}  // namespace

tf::FlatRun StepOf(Shell& shell, const RunRequest& request, tsh_session* session) {
  tf::FlatRun step;
  for (size_t i = 0; i < request.fetches.size(); ++i) {
    At(shell, request.pieces[i], [&] { AddFetch(session, request.fetches[i], &step); });
  }
  if (!request.feeds.is_null()) AddFeeds(session, request.feeds, &step);
  return step;
}

tf::FlatRun StepToRun(Shell& shell, const RunRequest& request, const Value& session) {
  RunRequest fed = request;
  if (auto* object = As<tf::SessionObject>(session)) {
    const Value feeds = request.feeds.is_null() ? Value::None() : request.feeds;
    const Value all = At(shell, request.pieces.front(),
                         [&] { return object->WithElements(MakeList(request.fetches), feeds); });
    if (!all.is_none()) fed.feeds = all;
  }
  tf::FlatRun step = StepOf(shell, fed, SessionOf(session));
  NoteRun(shell, SessionOf(session), step.run());
  return step;
}

}  // namespace tensh::shell
