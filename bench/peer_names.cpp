// The side of std::unordered_map in the benchmark of names: peer_names COUNT
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench.h"

namespace {

struct Context {
  std::unordered_map<std::string, int> map;
  std::vector<std::string> names, unknown;
  int sink = 0;
};

int index_of(const Context &c, const std::string &name) {
  const auto found = c.map.find(name);
  return found == c.map.end() ? -1 : found->second;
}

void ask(void *context, size_t k) {
  Context &c = *static_cast<Context *>(context);
  c.sink += index_of(c, c.names[k]);
}

void ask_unknown(void *context, size_t k) {
  Context &c = *static_cast<Context *>(context);
  c.sink += index_of(c, c.unknown[k]);
}

std::string name_of(size_t index) {
  char name[32];
  bench_joint_name(index, name, sizeof name);
  return name;
}

}  // namespace

int main(int argc, char **argv) {
  const size_t count = argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (count == 0) {
    return 2;
  }
  Context context;
  for (size_t i = 0; i < count; i++) {
    context.map[name_of(i)] = static_cast<int>(i);
  }
  for (size_t k = 0; k < BENCH_INPUTS; k++) {
    context.names.push_back(name_of(BENCH_NAME_AT(k, count)));
    context.unknown.push_back(name_of(count + k));
  }
  const std::string robot = std::to_string(count) + "_joints";
  const bench_case known = {"unordered_map", "joint_index", robot.c_str(), count, 0, 0, 0};
  bench_run(&known, ask, &context);
  const bench_case unknown = {
      "unordered_map", "joint_index_unknown", robot.c_str(), count, 0, 0, 0};
  bench_run(&unknown, ask_unknown, &context);
  return context.sink == 12345678;
}
