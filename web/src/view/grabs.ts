// What the handles of the view move: tips of limbs, the body, the point that the head looks at, the place where the
// robot shall stand.
import type { Body } from "../system/body";
import type { Cockpit } from "../system/cockpit";
import type { Collision } from "../system/collision";
import type { Gaze } from "../system/gaze";
import { inner, outer, plus, rotate } from "../system/geometry";
import type { Point } from "../system/messages";
import type { MoveBase } from "../walk/move_base";
import type { Reach } from "../system/reach";
import type { Grab } from "./tips";

function limbGrab(chain: string, reach: Reach, cockpit: Cockpit): Grab {
  const isMine = () => reach.grip?.chain === chain;
  return {
    label: `Tip of ${chain}`,
    place: () => cockpit.tips.get(chain)?.position,
    goal: () => (isMine() ? reach.grip?.goal : undefined),
    isHeld: () => isMine() && reach.grip!.isHeld,
    begin: () => reach.begin(chain),
    move: (goal) => reach.move(goal),
    nudge: (by) => reach.nudge(chain, by),
    letGo: () => reach.letGo(),
  };
}

function bodyGrab(body: Body, cockpit: Cockpit): Grab {
  return {
    label: "Body: drag moves it, with shift it tilts; the feet stay",
    place: () => (body.isPossible ? { x: 0, y: 0, z: 0 } : undefined),
    goal: () => body.goal && cockpit.command && inner(cockpit.command, body.goal.position),
    isHeld: () => body.isHeld,
    begin: () => body.begin(),
    move: (goal) => body.move(goal),
    turn: (roll, pitch) => body.turn(roll, pitch, 0),
    nudge: (by) => body.nudge(by),
    letGo: () => body.letGo(),
  };
}

function gazeGrab(gaze: Gaze): Grab {
  return {
    label: "Point that the head looks at",
    place: () => (gaze.isPossible ? gaze.place : undefined),
    goal: () => undefined,
    isHeld: () => gaze.isHeld,
    begin: () => gaze.begin(),
    move: (goal) => gaze.move(goal),
    nudge: (by) => gaze.nudge(by),
    letGo: () => gaze.letGo(),
  };
}

/** A handle of the place to stand. @param at  in the world  @param to  takes the new point in the world */
function groundGrab(
  label: string,
  cockpit: Cockpit,
  moveBase: MoveBase,
  at: () => Point | undefined,
  to: (point: Point) => void,
): Grab {
  const here = () => {
    const point = at();
    return point && inner(cockpit.base, point);
  };
  return {
    label,
    isFlat: true,
    place: here,
    goal: () => undefined,
    isHeld: () => moveBase.isHeld,
    begin: () => (moveBase.isHeld = !moveBase.isMoving),
    move: (point) => to(outer(cockpit.base, point)),
    nudge: (by) => {
      const point = at();
      if (point !== undefined) {
        to(plus(point, rotate(cockpit.base.orientation, by)));
      }
    },
    letGo: () => (moveBase.isHeld = false),
  };
}

function placeGrabs(moveBase: MoveBase, cockpit: Cockpit, radius: number): [string, Grab][] {
  const at = (away: number) => () => {
    const { place } = moveBase;
    return (
      place && {
        x: place.x + away * Math.cos(place.heading),
        y: place.y + away * Math.sin(place.heading),
        z: 0,
      }
    );
  };
  const to = (point: Point) => moveBase.move(point);
  const face = (point: Point) => moveBase.face(point);
  return [
    ["place", groundGrab("Where the robot shall stand", cockpit, moveBase, at(0), to)],
    ["heading", groundGrab("Where it shall face", cockpit, moveBase, at(radius), face)],
  ];
}

function boxGrab(
  label: string,
  collision: Collision,
  isFlat: boolean,
  place: () => Point | undefined,
  move: (point: Point) => void,
): Grab {
  return {
    label,
    isFlat,
    place,
    goal: () => undefined,
    isHeld: () => collision.isHeld,
    begin: () => (collision.isHeld = true),
    move,
    nudge: (by) => {
      const at = place();
      if (at !== undefined) {
        move(plus(at, by));
      }
    },
    letGo: () => (collision.isHeld = false),
  };
}

function boxGrabs(collision: Collision): [string, Grab][] {
  const top = () => {
    const { box } = collision;
    return box && plus(box.bottom, { x: 0.5 * box.size.x, y: 0.5 * box.size.y, z: box.size.z });
  };
  const move = (point: Point) => collision.move(point);
  const stretch = (point: Point) => collision.stretch(point);
  return [
    ["box", boxGrab("The box", collision, true, () => collision.box?.bottom, move)],
    ["corner", boxGrab("A corner of the box", collision, false, top, stretch)],
  ];
}

/** @param radius  of the ring around the place to stand, m */
export function makeGrabs(
  cockpit: Cockpit,
  parts: {
    reach: Reach;
    body: Body;
    gaze: Gaze;
    moveBase: MoveBase;
    collision: Collision;
    toolMove: { goal: unknown };
  },
  radius: number,
): Map<string, Grab> {
  if (parts.moveBase.place !== undefined) {
    return new Map(placeGrabs(parts.moveBase, cockpit, radius)); // alone: others would be in the way
  }
  if (parts.collision.box !== undefined) {
    return new Map(boxGrabs(parts.collision));
  }
  if (parts.toolMove.goal !== undefined) {
    return new Map(); // the gizmo is alone, too
  }
  const grabs = new Map(
    parts.reach.chains().map((chain) => [chain, limbGrab(chain, parts.reach, cockpit)]),
  );
  grabs.set("body", bodyGrab(parts.body, cockpit));
  grabs.set("gaze", gazeGrab(parts.gaze));
  return grabs;
}
