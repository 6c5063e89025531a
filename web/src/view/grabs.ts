// What the handles of the view move: tips of limbs, the body, the point that the head looks at.
import type { Body } from "../system/body";
import type { Cockpit } from "../system/cockpit";
import type { Gaze } from "../system/gaze";
import { inner } from "../system/geometry";
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

export function makeGrabs(
  cockpit: Cockpit,
  parts: { reach: Reach; body: Body; gaze: Gaze },
): Map<string, Grab> {
  const grabs = new Map(
    parts.reach.chains().map((chain) => [chain, limbGrab(chain, parts.reach, cockpit)]),
  );
  grabs.set("body", bodyGrab(parts.body, cockpit));
  grabs.set("gaze", gazeGrab(parts.gaze));
  return grabs;
}
