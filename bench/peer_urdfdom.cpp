// The side of urdfdom and kdl_parser in the benchmark of loading: peer_urdfdom FILE.urdf COUNT
#include <urdf_parser/urdf_parser.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <kdl/tree.hpp>
#include <kdl_parser/kdl_parser.hpp>
#include <sstream>
#include <string>

#include "bench.h"

namespace {

struct Context {
  std::string path;
  std::string text;
};

void build(const urdf::ModelInterfaceSharedPtr &model) {
  KDL::Tree tree;
  if (!model || !kdl_parser::treeFromUrdfModel(*model, tree)) {
    std::exit(1);
  }
}

void parse(void *context, size_t) {
  build(urdf::parseURDF(static_cast<Context *>(context)->text));
}

void load(void *context, size_t) {
  build(urdf::parseURDFFile(static_cast<Context *>(context)->path));
}

}  // namespace

int main(int argc, char **argv) {
  // Both libraries log what they find odd; a terminal must not be part of the measurement.
  if (argc != 3 || std::freopen("/dev/null", "w", stderr) == nullptr) {
    return 2;
  }
  char robot[64];
  bench_robot_name(argv[1], robot, sizeof robot);
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  Context context{argv[1], text.str()};
  const size_t count = std::strtoul(argv[2], nullptr, 10);
  const bench_case from_memory = {"urdfdom", "parse", robot, 0, 1, count, 1};
  bench_run(&from_memory, parse, &context);
  const bench_case from_file = {"urdfdom", "load", robot, 0, 1, count, 1};
  bench_run(&from_file, load, &context);
  return 0;
}
