// KDL as oracle: kdl_oracle FILE.urdf BASE TIP. First line out: the names of the joints. Then for
// each line in, "q qd qdd", a line out: axes and origin of the tip (12 numbers), Jacobian (6 n,
// row-major, angular rows first), inverse dynamics (n), mass matrix (n n), forward dynamics of (q,
// qd, that torque) (n). Gravity -9.81 along z.
#include <iomanip>
#include <iostream>
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>
#include <kdl_parser/kdl_parser.hpp>

namespace {

bool read(KDL::JntArray &x) {
  for (unsigned i = 0; i < x.rows(); i++) {
    if (!(std::cin >> x(i))) {
      return false;
    }
  }
  return true;
}

void write(const KDL::JntArray &x) {
  for (unsigned i = 0; i < x.rows(); i++) {
    std::cout << x(i) << ' ';
  }
}

void write(const KDL::Vector &v) {
  std::cout << v.x() << ' ' << v.y() << ' ' << v.z() << ' ';
}

}  // namespace

int main(int argc, char **argv) {
  KDL::Tree tree;
  KDL::Chain chain;
  if (argc != 4 || !kdl_parser::treeFromFile(argv[1], tree) ||
      !tree.getChain(argv[2], argv[3], chain)) {
    return 1;
  }
  for (const auto &segment : chain.segments) {
    if (segment.getJoint().getType() != KDL::Joint::None) {
      std::cout << segment.getJoint().getName() << ' ';
    }
  }
  std::cout << std::endl << std::setprecision(17);

  const unsigned n = chain.getNrOfJoints();
  const KDL::Vector gravity(0, 0, -9.81);
  KDL::ChainFkSolverPos_recursive fk(chain);
  KDL::ChainJntToJacSolver jac(chain);
  KDL::ChainIdSolver_RNE inverse(chain, gravity);
  KDL::ChainDynParam dynamics(chain, gravity);
  KDL::ChainFdSolver_RNE forward(chain, gravity);
  KDL::JntArray q(n), qd(n), qdd(n), tau(n), solved(n);
  while (read(q) && read(qd) && read(qdd)) {
    KDL::Frame pose;
    KDL::Jacobian columns(n);
    KDL::JntSpaceInertiaMatrix mass(n);
    KDL::Wrenches wrenches(chain.getNrOfSegments());
    fk.JntToCart(q, pose);
    jac.JntToJac(q, columns);
    inverse.CartToJnt(q, qd, qdd, wrenches, tau);
    dynamics.JntToMass(q, mass);
    forward.CartToJnt(q, qd, tau, wrenches, solved);
    write(pose.M.UnitX());
    write(pose.M.UnitY());
    write(pose.M.UnitZ());
    write(pose.p);
    for (unsigned row = 0; row < 6; row++) {
      for (unsigned j = 0; j < n; j++) {
        std::cout << columns((row + 3) % 6, j) << ' ';
      }
    }
    write(tau);
    for (unsigned i = 0; i < n * n; i++) {
      std::cout << mass(i / n, i % n) << ' ';
    }
    write(solved);
    std::cout << std::endl;
  }
  return 0;
}
