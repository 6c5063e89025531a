import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { Cockpit } from "../../src/system/cockpit";
import { Movements } from "../../src/system/movements";
import { Signal } from "../../src/system/signal";

function makeMovements() {
  const state = { state: "idle", name: "", elapsed: 0, duration: 0, success: false, message: "" };
  const list = { name: ["bow", "bad"], kind: ["joint_trajectory", "invalid"], duration: [1.5] };
  const calls: string[] = [];
  const cockpit = {
    roles: { movements: { name: "movements" } },
    client: {
      hasService: () => true,
      call: async (name: string) => {
        await Promise.resolve();
        calls.push(name);
        return name.endsWith("listMovements") ? list : { ...state };
      },
    },
    request: async (_: object, operation: string, request: { name?: string }) => {
      await Promise.resolve();
      calls.push(operation);
      if (operation === "playMovement" && request.name === "bad") {
        return "bad.json:3: expected a number";
      }
      state.state = operation === "playMovement" ? "playing" : "idle";
      return "";
    },
    onRoles: new Signal(),
    onAdvertised: new Signal(),
  };
  return { movements: new Movements(cockpit as unknown as Cockpit, () => false), calls, state };
}

test("the library is listed, with files that cannot be played", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { movements } = makeMovements();
  await movements.refresh();
  assert.deepEqual(movements.list, [
    { name: "bow", kind: "joint_trajectory", duration: 1.5 },
    { name: "bad", kind: "invalid", duration: 0 },
  ]);
  mock.timers.reset();
});

test("what fails says why in the words of the server, and a success clears it", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { movements } = makeMovements();
  assert.equal(await movements.play("bad"), false);
  assert.equal(movements.failure, "bad.json:3: expected a number");
  assert.equal(await movements.play("bow"), true);
  assert.equal(movements.failure, "");
  assert.equal(movements.isBusy, true);
  mock.timers.reset();
});

test("the state is asked for while a movement is played, and not while no one looks", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { movements, calls, state } = makeMovements();
  const settled = () => new Promise((done) => setImmediate(done));
  await movements.play("bow");
  const count = () => calls.filter((name) => name.endsWith("getMovement")).length;
  const before = count();
  mock.timers.tick(250);
  await settled();
  assert.equal(count(), before + 1);
  state.state = "idle";
  mock.timers.tick(250);
  await settled();
  const after = count();
  mock.timers.tick(10000);
  await settled();
  assert.equal(count(), after);
  mock.timers.reset();
});
