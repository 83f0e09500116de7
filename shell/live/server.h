// The live page's server: HTTP on 127.0.0.1, in threads of its own, which know nothing but the last
// snapshot that was published. A link with a one-time token gives the browser a cookie; requests without
// it, or with another host or origin than ours, are refused. Publish may be called from any thread.
#pragma once

#include <cstdint>
#include <string>

namespace tensh::shell::live {

// Port 0: any that is free. Returns the port; 0 and *error when it cannot.
uint16_t Start(uint16_t port, std::string* error);
bool On();
void Stop();
// A new link; the tokens of earlier ones that nobody used are no good any more.
std::string NewLink();
void Publish(std::string json);  // a JSON object, without "version"

extern const char* const kPage;    // the assets, compiled in
extern const char* const kScript;

}  // namespace tensh::shell::live
