// KDL's side of the oracle of forward kinematics: kdl_tree FILE.urdf
//
// Prints the number of movable joints that urdfdom counts, then the joints of KDL's tree and its
// links, by name:
//   movable 6
//   joint NAME      one line each, in the order of KDL's vector
//   link NAME       one line each
//   end
// Then, as often as a vector of joint positions comes in (doubles of the machine), poses of all
// links in the frame of the root go out: twelve doubles each, the columns of the rotation, then the
// position.
#include <urdf_parser/urdf_parser.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <kdl/tree.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl_parser/kdl_parser.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

size_t count_movable(const urdf::ModelInterface &model) {
  size_t count = 0;
  for (const auto &joint : model.joints_) {
    count += joint.second->type != urdf::Joint::FIXED ? 1 : 0;
  }
  return count;
}

void write_pose(const KDL::Frame &frame) {
  for (int column = 0; column < 3; column++) {
    for (int row = 0; row < 3; row++) {
      std::printf("%.17g ", frame.M(row, column));
    }
  }
  std::printf("%.17g %.17g %.17g ", frame.p.x(), frame.p.y(), frame.p.z());
}

// The names, and the links in the order in which their poses will go out.
std::vector<std::string> announce(const urdf::ModelInterface &model, const KDL::Tree &tree) {
  std::vector<std::string> joints(tree.getNrOfJoints());
  std::vector<std::string> links;
  for (const auto &entry : tree.getSegments()) {
    const KDL::Joint &joint = entry.second.segment.getJoint();
    if (joint.getType() != KDL::Joint::Fixed) {
      joints[entry.second.q_nr] = joint.getName();
    }
    links.push_back(entry.first);
  }
  std::printf("movable %zu\n", count_movable(model));
  for (const auto &name : joints) {
    std::printf("joint %s\n", name.c_str());
  }
  for (const auto &name : links) {
    std::printf("link %s\n", name.c_str());
  }
  std::printf("end\n");
  std::fflush(stdout);
  return links;
}

}  // namespace

int main(int argc, char **argv) {
  KDL::Tree tree;
  std::ifstream file(argc == 2 ? argv[1] : "");
  std::stringstream text;
  text << file.rdbuf();
  const auto model = urdf::parseURDF(text.str());
  if (!model || !kdl_parser::treeFromUrdfModel(*model, tree)) {
    return 1;
  }
  const std::vector<std::string> links = announce(*model, tree);
  KDL::TreeFkSolverPos_recursive solver(tree);
  KDL::JntArray q(tree.getNrOfJoints());
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream numbers(line);
    for (unsigned i = 0; i < q.rows(); i++) {
      numbers >> q(i);
    }
    for (const auto &link : links) {
      KDL::Frame frame;
      if (!numbers || solver.JntToCart(q, frame, link) < 0) {
        return 1;
      }
      write_pose(frame);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}
