import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cockpit } from "../../src/system/cockpit";
import { Collision, freeName, toObject } from "../../src/system/collision";
import type { CollisionState, WorldObject } from "../../src/system/messages";
import { Signal } from "../../src/system/signal";
import { distanceText } from "../../src/view/nearest";

const settled = () => new Promise((done) => setImmediate(done));

/** A gate that keeps objects. */
function makeGate(operations = ["addObject", "removeObject", "listObjects"]) {
  const objects: WorldObject[] = [];
  const subscribed: string[] = [];
  let isOpen = true;
  const cockpit = {
    mayChange: true,
    roles: { guard: { name: "gate", operations: operations.map((name) => ({ name })) } },
    client: {
      get state() {
        return isOpen ? "open" : "waiting";
      },
      hasService: (name: string) => operations.includes(name.split("/").at(-1)!),
      subscribe: (name: string) => {
        subscribed.push(name);
        return () => undefined;
      },
      call: async () => {
        await Promise.resolve();
        return { objects: [...objects], complete: true };
      },
    },
    request: async (_: object, operation: string, request: WorldObject) => {
      await Promise.resolve();
      const at = objects.findIndex(({ name }) => name === request.name);
      if (operation === "removeObject") {
        objects.splice(at, 1);
        return "";
      }
      if (at >= 0) {
        return `an object '${request.name}' exists`;
      }
      objects.push(request);
      return "";
    },
    onRoles: new Signal(),
    onAdvertised: new Signal(),
    onConnection: new Signal(),
  };
  const collision = new Collision(cockpit as unknown as Cockpit);
  const disconnect = () => {
    isOpen = false;
    cockpit.onConnection.emit();
  };
  return { collision, cockpit, objects, subscribed, disconnect };
}

const report = (more: Partial<CollisionState>) => ({ object_count: 0, ...more }) as CollisionState;

test("a report that looks like the one before does not cause a drawing", () => {
  const { collision } = makeGate();
  let count = 0;
  collision.onChange.on(() => count++);
  const near = { near: true, link_a: "a", link_b: "b", blocked: false };
  collision.take(report({ ...near, distance: 0.02 }));
  assert.equal(count, 1);
  collision.take(report({ ...near, distance: 0.02 }));
  assert.equal(count, 1);
  collision.take(report({ ...near, distance: 0.019 }));
  collision.take(report({ ...near, distance: 0.019, blocked: true }));
  assert.equal(count, 3);
  assert.equal(collision.state?.blocked, true);
});

test("two pairs that are equally near do not take turns", () => {
  const { collision } = makeGate();
  let count = 0;
  collision.onChange.on(() => count++);
  const near = { near: true, link_a: "a", blocked: false };
  collision.take(report({ ...near, link_b: "left", distance: 0.02 }));
  collision.take(report({ ...near, link_b: "right", distance: 0.02 + 1e-9 }));
  assert.equal(count, 1);
  assert.equal(collision.state?.link_b, "left");
  collision.take(report({ ...near, link_b: "right", distance: 0.019 }));
  assert.equal(count, 2);
  assert.equal(collision.state?.link_b, "right");
});

test("what is not checked is said", () => {
  const { collision } = makeGate();
  const said = (more: Partial<CollisionState>) => {
    collision.take(report(more));
    return collision.unchecked;
  };
  assert.equal(collision.unchecked, undefined);
  assert.equal(said({ enabled: true, off_count: 0 }), undefined);
  assert.equal(said({ enabled: true, off_count: 1 })?.short, "1 pair off");
  assert.equal(said({ enabled: true, off_count: 3 })?.short, "3 pairs off");
  const reason = "the robot has no shapes";
  assert.match(said({ enabled: false, off_count: 0, reason })?.long ?? "", /has no shapes/);
});

test("a box has its middle above the middle of its bottom", () => {
  const box = { name: "b", bottom: { x: 1, y: 2, z: -0.5 }, size: { x: 0.2, y: 0.4, z: 0.6 } };
  const object = toObject(box);
  assert.equal(object.shape, "box");
  assert.deepEqual(object.size, [0.2, 0.4, 0.6]);
  const { x, y, z } = object.pose.position;
  assert.ok(x === 1 && y === 2 && Math.abs(z + 0.2) < 1e-12);
});

test("a new box has a name that is free", () => {
  assert.equal(freeName("box", []), "box1");
  assert.equal(freeName("box", ["box1", "table", "box3"]), "box2");
});

test("a corner that is dragged resizes the box about its bottom, to a smallest size", () => {
  const { collision } = makeGate();
  collision.open({ x: 1, y: 0, z: 0 }, 0.2);
  collision.stretch({ x: 1.3, y: -0.2, z: 0.5 });
  const { size, bottom } = collision.box!;
  assert.deepEqual(bottom, { x: 1, y: 0, z: 0 });
  assert.ok(Math.abs(size.x - 0.6) < 1e-12 && Math.abs(size.y - 0.4) < 1e-12 && size.z === 0.5);
  collision.stretch({ x: 1, y: 0, z: -1 });
  assert.ok(Object.values(collision.box!.size).every((edge) => edge > 0));
});

test("a box is added, listed and removed; what fails says why", async () => {
  const { collision, objects } = makeGate();
  collision.open({ x: 1, y: 0, z: 0 }, 0.2);
  await collision.add();
  assert.equal(collision.box, undefined);
  assert.deepEqual(
    collision.objects.map(({ name }) => name),
    ["box1"],
  );
  collision.open({ x: 1, y: 0, z: 0 }, 0.2);
  assert.equal(collision.box!.name, "box2");
  collision.rename("box1");
  await collision.add();
  assert.equal(collision.failure, "an object 'box1' exists");
  assert.ok(collision.box !== undefined);
  await collision.remove("box1");
  assert.equal(objects.length, 0);
  assert.equal(collision.failure, "");
});

test("objects that others add are asked for when their number changes", async () => {
  const { collision, objects, cockpit, subscribed } = makeGate();
  cockpit.onRoles.emit();
  await settled();
  assert.deepEqual(subscribed, ["/gate/collision"]);
  objects.push(toObject({ name: "t", bottom: { x: 0, y: 0, z: 0 }, size: { x: 1, y: 1, z: 1 } }));
  collision.take(report({ object_count: 1 }));
  await settled();
  assert.equal(collision.objects.length, 1);
});

test("without such a gate nothing is possible, and nothing fails", async () => {
  const { collision, cockpit } = makeGate([]);
  assert.equal(collision.isPossible, false);
  cockpit.roles = {} as typeof cockpit.roles;
  cockpit.onRoles.emit();
  await collision.refresh();
  await collision.add();
  await collision.remove("box1");
  assert.equal(collision.isPossible, false);
  assert.equal(collision.state, undefined);
});

test("a lost connection forgets the pair and the box", () => {
  const { collision, disconnect } = makeGate();
  collision.take(report({ near: true }));
  collision.open({ x: 1, y: 0, z: 0 }, 0.2);
  disconnect();
  assert.equal(collision.state, undefined);
  assert.equal(collision.box, undefined);
});

test("distances are read in millimetres", () => {
  assert.equal(distanceText(0.0123), "12 mm");
  assert.equal(distanceText(0.00123), "1.2 mm");
  assert.equal(distanceText(0), "contact");
  assert.equal(distanceText(-0.001), "contact");
});
