// Moves the body of a standing robot to where the user drags it: takes the legs for the controller that keeps
// the feet where they are, and sends it the wanted pose of the base. The controller keeps the legs afterwards, so
// that the robot goes on standing.
import { path } from "./components";
import type { Cockpit } from "./cockpit";
import { outer, plus, turnAbout, turnAfter } from "./geometry";
import type { Point, Pose } from "./messages";

const PERIOD_MS = 33;

export class Body {
  /** The wanted base in the world of the controller. */
  goal: Pose | undefined;
  isHeld = false;
  onChange: () => void = () => undefined;
  private timer: ReturnType<typeof setInterval> | undefined;
  private isTaken = false;
  private steps: Point = { x: 0, y: 0, z: 0 }; // of the keyboard, until the base is known

  constructor(private readonly cockpit: Cockpit) {}

  get isPossible(): boolean {
    const { cockpit } = this;
    return cockpit.roles.stance !== undefined && cockpit.isLegged && cockpit.mayChange;
  }

  /** @return false if no controller can move it */
  begin(): boolean {
    const stance = this.cockpit.roles.stance;
    if (!this.isPossible || stance === undefined) {
      return false;
    }
    this.isHeld = true;
    this.isTaken = this.cockpit.ownedBy(stance.name).length > 0;
    this.goal = this.cockpit.command;
    if (!this.isTaken) {
      const request = { operational: true, resources: [] };
      void this.cockpit.do(stance, "setOperational", request).then((isGranted) => {
        this.isTaken = isGranted;
        if (!isGranted) {
          this.stop();
        }
      });
    }
    this.timer ??= setInterval(() => this.tick(), PERIOD_MS);
    this.onChange();
    return true;
  }

  /** @param place  where the base goes, in the frame of the base as it is drawn */
  move(place: Point): void {
    const { command } = this.cockpit;
    if (command !== undefined) {
      this.goal = { ...(this.goal ?? command), position: outer(command, place) };
      this.onChange();
    }
  }

  /** Turn about the axes of the base, rad. */
  turn(roll: number, pitch: number, yaw: number): void {
    const from = this.goal ?? this.cockpit.command;
    if (from === undefined) {
      return;
    }
    const { position, orientation } = from;
    const by = turnAfter(
      turnAbout({ x: 0, y: 0, z: 1 }, yaw),
      turnAfter(turnAbout({ x: 0, y: 1, z: 0 }, pitch), turnAbout({ x: 1, y: 0, z: 0 }, roll)),
    );
    this.goal = { position, orientation: turnAfter(orientation, by) };
    this.onChange();
  }

  /** One step with the keyboard, in the axes of the world. */
  nudge(by: Point): void {
    if (this.timer === undefined && !this.begin()) {
      return;
    }
    this.steps = plus(this.steps, by);
    this.isHeld = false;
    this.onChange();
  }

  letGo(): void {
    if (this.isHeld) {
      this.isHeld = false;
      this.onChange();
    }
  }

  private tick(): void {
    const { stance } = this.cockpit.roles;
    const isLost = this.isTaken && stance && this.cockpit.ownedBy(stance.name).length === 0;
    if (stance === undefined || (isLost && !this.isHeld)) {
      this.stop();
      return;
    }
    const from = this.goal ?? this.cockpit.command;
    if (this.isTaken && from !== undefined) {
      this.goal = { ...from, position: plus(from.position, this.steps) };
      this.steps = { x: 0, y: 0, z: 0 };
      this.cockpit.client.publish(path(stance, "in_base_ref"), {
        header: { frame_id: "odom" },
        name: [],
        pose: [this.goal],
      });
      if (!this.isHeld) {
        this.stop(); // the controller has the last goal
      }
    }
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.goal = undefined;
    this.isHeld = false;
    this.onChange();
  }
}
