// The live page's server: HTTP and WebSocket on 127.0.0.1, in a thread of its own. It knows nothing
// but the last snapshot that was published and how to ask it for more. A link with a one-time token
// gives the browser a cookie; requests without it, or with another host or origin than ours, are
// refused.
//
// GET /          the page; GET /live.js its script; GET /state the snapshot as it is.
// WebSocket /ws  the server sends {"version":N,"state":{…}} at once and after each Publish, and
//                {"event":{…}} for each Send; a browser may ask {"id":7,…} and gets
//                {"id":7,"answer":{…}}.
// A slow browser gets the newest snapshot, not each one. All functions may be called from any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tensh::shell::live {

// Answers a question about a snapshot, both JSON; "" when it makes no sense. Called in the server's
// thread, maybe after the next snapshot was published, so it may touch nothing but what it owns.
using Answer = std::function<std::string(const std::string& question)>;

// Port 0: any that is free. Returns the port; 0 and *error when it cannot.
uint16_t Start(uint16_t port, std::string* error);
bool On();
void Stop();
// A new link; the tokens of earlier ones that nobody used are no good any more.
std::string NewLink();
void Publish(std::string json, Answer answer);  // a JSON object, without "version"
void Send(std::string json);                    // an event that passes: a JSON object

extern const char* const kPage;  // the assets, compiled in
extern const char* const kScript;

}  // namespace tensh::shell::live
