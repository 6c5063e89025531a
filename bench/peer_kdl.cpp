// KDL's side of the kernel benchmark: peer_kdl FILE.urdf [BASE TIP]. KDL computes on chains only.
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>
#include <kdl_parser/kdl_parser.hpp>
#include <vector>

#include "bench.h"

namespace {

struct Context {
  explicit Context(const KDL::Chain &chain)
      : fk(chain),
        jacobian(chain),
        inverse(chain, KDL::Vector(0, 0, -9.81)),
        dynamics(chain, KDL::Vector(0, 0, -9.81)),
        forward(chain, KDL::Vector(0, 0, -9.81)),
        matrix(chain.getNrOfJoints()),
        mass(chain.getNrOfJoints()),
        out(chain.getNrOfJoints()),
        wrenches(chain.getNrOfSegments()) {
    const unsigned n = chain.getNrOfJoints();
    double *numbers = bench_inputs(n);
    for (size_t k = 0; k < 3 * BENCH_INPUTS; k++) {
      KDL::JntArray q(n);
      for (unsigned i = 0; i < n; i++) {
        q(i) = numbers[k * n + i];
      }
      inputs.push_back(q);
    }
    free(numbers);
  }

  KDL::ChainFkSolverPos_recursive fk;
  KDL::ChainJntToJacSolver jacobian;
  KDL::ChainIdSolver_RNE inverse;
  KDL::ChainDynParam dynamics;
  KDL::ChainFdSolver_RNE forward;
  std::vector<KDL::JntArray> inputs;
  KDL::Frame pose;
  KDL::Jacobian matrix;
  KDL::JntSpaceInertiaMatrix mass;
  KDL::JntArray out;
  KDL::Wrenches wrenches;
};

void fk(void *context, size_t k) {
  Context &c = *static_cast<Context *>(context);
  c.fk.JntToCart(c.inputs[3 * k], c.pose);
}

void jacobian(void *context, size_t k) {
  Context &c = *static_cast<Context *>(context);
  c.jacobian.JntToJac(c.inputs[3 * k], c.matrix);
}

void inverse(void *context, size_t k) {
  Context &c = *static_cast<Context *>(context);
  c.inverse.CartToJnt(c.inputs[3 * k], c.inputs[3 * k + 1], c.inputs[3 * k + 2], c.wrenches, c.out);
}

void mass(void *context, size_t k) {
  Context &c = *static_cast<Context *>(context);
  c.dynamics.JntToMass(c.inputs[3 * k], c.mass);
}

void forward(void *context, size_t k) {
  Context &c = *static_cast<Context *>(context);
  c.forward.CartToJnt(c.inputs[3 * k], c.inputs[3 * k + 1], c.inputs[3 * k + 2], c.wrenches, c.out);
}

}  // namespace

int main(int argc, char **argv) {
  KDL::Tree tree;
  KDL::Chain chain;
  if (argc != 4 || !kdl_parser::treeFromFile(argv[1], tree) ||
      !tree.getChain(argv[2], argv[3], chain)) {
    return argc == 2 ? 0 : 1;
  }
  char robot[64];
  bench_robot_name(argv[1], robot, sizeof robot);
  Context context(chain);
  const struct {
    const char *name;
    bench_function *function;
  } cases[] = {
      {"fk", fk}, {"jacobian", jacobian}, {"rnea", inverse}, {"crba", mass}, {"fd", forward}};
  for (const auto &row : cases) {
    const bench_case what = {"kdl", row.name, robot, chain.getNrOfJoints(), 0, BENCH_ROUND_BATCHES,
                             0};
    bench_run(&what, row.function, &context);
  }
  return 0;
}
