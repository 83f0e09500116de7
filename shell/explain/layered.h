// A layered layout of one level of a drawing: data flow from the top to the bottom, lanes lie side
// by side, and edges have a path between the boxes.
//
// The method is Sugiyama's: edges that close cycles are set apart, items get layers, the order in
// each layer is chosen to avoid crossings, and coordinates follow from the order. An edge that
// passes a layer has a reserved column in it, and edges bend only in the gaps between layers;
// therefore no edge runs through an item. Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <vector>

namespace tensh::shell {

// Which layer an item must have.
enum class Pin : unsigned char {
  kNone,
  kHead,    // the first layer, before the other items of its lane: a title
  kTop,     // the first layer: a value that enters
  kFirst,   // the first layer below those
  kLast,    // the last layer above the values that leave, if nothing follows the item
  kBottom,  // the last layer: a value that leaves
};

struct LayoutItem {
  double w = 0, h = 0;
  size_t lane = 0;
  Pin pin = Pin::kNone;
  bool spread = false;  // Edges leave at separate points instead of one.
  // Results.
  double x = 0, y = 0;
  size_t layer = 0;
};

// The point at which an edge crosses a layer between those of its ends.
struct LayoutVia {
  size_t layer = 0;
  double x = 0;
};

struct LayoutEdge {
  size_t from = 0, to = 0;  // Never equal.
  bool loop = false;        // It closes a loop and may run upward.
  double weight = 1;        // Heavier edges are less likely to run upward.
  // Results. The offsets are relative to the left sides of the items.
  double from_dx = 0, to_dx = 0;
  std::vector<LayoutVia> via = {};  // Of an edge that runs downward.
  bool up = false;                  // It runs upward, through a channel beside its lane.
  double channel = 0;               // The x of the channel.
  size_t track = 0;                 // The number of the channel in its lane.
};

struct LayoutSpan {
  double begin = 0, end = 0;
};

struct Layout {
  std::vector<LayoutItem> items;
  std::vector<LayoutEdge> edges;
  size_t lanes = 1;
  // Results.
  std::vector<LayoutSpan> layers;      // The rows in y.
  std::vector<LayoutSpan> lane_spans;  // The lanes in x; a lane without items is empty.
  double width = 0, height = 0;
};

// The distance between an item and the horizontal part of an upward edge with this track.
double TrackDistance(size_t track);

// Fills the results. The time is about linear in the items and edges of the level.
void LayOut(Layout* layout);

// The layout of a level in which some items have grown. Items keep their layers and their order, so
// that opening one item moves the others but does not rearrange them.
struct Stretched {
  std::vector<LayoutSpan> layers, lane_spans;
  double width = 0, height = 0;
  // The column and the row of x: the position of a point, and of an item of the width w'.
  std::vector<double> from, to;
  double X(double x) const;
};
// `w` and `h` are the sizes of the items, at least those of the layout.
Stretched Stretch(const Layout& layout, const std::vector<double>& w, const std::vector<double>& h);

}  // namespace tensh::shell
