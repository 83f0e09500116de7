// The server of the live page: HTTP and WebSocket on 127.0.0.1, in a separate thread.
//
// The server has only the last snapshot that was published, and a function that answers questions
// about it. A link with a one-time token gives the browser a cookie. Requests without the cookie,
// or with a foreign host or origin, are refused.
//
// GET / returns the page, its scripts and its style (shell/page), and GET /state the current snapshot. On the
// WebSocket /ws the server sends {"version":N,"state":{…}} at once and after each Publish, and
// {"event":{…}} for each Send. A browser may send {"id":7,…} and receives {"id":7,"answer":{…}}.
//
// A slow browser receives the newest snapshot and may miss some in between. All functions are
// thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tensh::shell::live {

// Answers a question about a snapshot; both are JSON. Returns "" if the question is invalid. It is
// called in the server's thread, possibly after the next snapshot was published, and therefore may
// only access data that it owns.
using Answer = std::function<std::string(const std::string& question)>;

// Starts the server. Port 0 selects a free port. Returns the port, or 0 and *error if it failed.
uint16_t Start(uint16_t port, std::string* error);
bool On();
void Stop();
// Returns a new link. Unused tokens of earlier links become invalid.
std::string NewLink();
void Publish(std::string json, Answer answer);  // `json` is a JSON object without "version".
void Send(std::string json);                    // Sends a transient event, a JSON object.

}  // namespace tensh::shell::live
