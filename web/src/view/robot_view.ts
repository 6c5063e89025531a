// The robot in the scene: one figure for the desired pose, one for the measured pose.
import * as THREE from "three";
import type { URDFRobot } from "urdf-loader";
import type { Cockpit } from "../system/cockpit";
import { Body } from "../system/body";
import { Gaze } from "../system/gaze";
import { outer } from "../system/geometry";
import type { Point } from "../system/messages";
import { Reach } from "../system/reach";
import { byId, h, ICONS, icon, toggle } from "../ui/dom";
import { throttle } from "../ui/frame";
import { colour, watchTheme } from "../ui/theme";
import { BalanceOverlay } from "./balance";
import { Forces } from "./forces";
import { makeGrabs } from "./grabs";
import { type Figure, lowest, makeFigure, makeGhost, setPose } from "./figure";
import { Stage } from "./stage";
import { Tips } from "./tips";
import { Trails } from "./trails";

const KEY = "sinew.view";
const VISIBLE = 1e-4; // rad or m: smaller motions cannot be seen
const VISIBLE_SHARE = 1e-3; // of a force: changes below 0.1 N cannot be seen

interface Choice {
  measuredIsSolid: boolean;
  showsOther: boolean;
  showsBalance: boolean;
  showsTips: boolean;
  showsForces: boolean;
  follows: boolean;
}

const GRAVITY = 9.81; // m/s²

function loadChoice(): Choice {
  const initial = {
    measuredIsSolid: false,
    showsOther: true,
    showsBalance: true,
    showsTips: true,
    showsForces: true,
    follows: true,
  };
  try {
    return { ...initial, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Choice>) };
  } catch {
    return initial;
  }
}

export class RobotView {
  readonly stage: Stage;
  readonly reach: Reach;
  readonly body: Body;
  readonly gaze: Gaze;
  readonly tips: Tips;
  private readonly choice = loadChoice();
  private readonly standing = new THREE.Group(); // the base in the world, or an offset to the floor
  figure: Figure | undefined;
  private ghost: URDFRobot | undefined;
  private balance: BalanceOverlay | undefined;
  forces: Forces | undefined;
  trails: Trails | undefined;
  private drawn: Float64Array[] = [];

  constructor(
    private readonly cockpit: Cockpit,
    announce: (text: string) => void,
  ) {
    this.stage = new Stage(byId<HTMLCanvasElement>("canvas"));
    this.reach = new Reach(cockpit);
    this.body = new Body(cockpit);
    this.gaze = new Gaze(cockpit);
    this.tips = new Tips(this.stage, announce);
    this.stage.world.add(this.standing);
    this.standing.add(this.tips.group);
    this.stage.onDraw = () => this.update();
    const draw = () => this.stage.draw();
    const drawIfMoved = () => {
      if (this.hasMoved()) {
        draw();
      }
    };
    cockpit.onPose.on(drawIfMoved);
    cockpit.onBase.on(drawIfMoved);
    cockpit.onRobot.on(() => void this.load());
    cockpit.onOwners.on(() => this.gaze.check());
    this.reach.onChange = this.body.onChange = this.gaze.onChange = draw;
    this.makeTools();
    watchTheme(() => this.paint());
  }

  private async load(): Promise<void> {
    const urdf = this.cockpit.urdf;
    const figure = await makeFigure(urdf);
    if (urdf !== this.cockpit.urdf) {
      return; // the robot changed meanwhile
    }
    this.standing.clear();
    this.figure = figure;
    this.ghost = makeGhost(figure, new THREE.Color(colour("accent")));
    this.balance = new BalanceOverlay(figure.scale);
    this.forces?.group.removeFromParent();
    this.trails?.group.removeFromParent();
    this.forces = new Forces(figure.scale);
    this.trails = new Trails(0.01 * figure.scale);
    this.stage.world.add(this.forces.group, this.trails.group);
    this.gaze.distance = 0.45 * figure.scale;
    this.reach.stride.longest = 0.06 * figure.scale;
    this.standing.add(figure.robot, this.ghost, this.balance.group, this.tips.group);
    byId("robot-name").textContent = figure.robot.robotName;
    document.title = `${figure.robot.robotName} · Sinew`;
    setPose(figure.robot, this.cockpit.desired);
    this.placeBase(true);
    const box = new THREE.Box3().setFromObject(figure.robot);
    this.stage.fit(box);
    this.paint();
    this.showMissing(figure);
    byId("stage").dataset["robot"] = figure.robot.robotName;
  }

  /** List meshes that could not be shown, with the places where the server searched. */
  private showMissing({ missing }: Figure): void {
    const box = byId("missing");
    const count = missing.length;
    toggle(box, count > 0);
    box.replaceChildren(
      h(
        "summary",
        {},
        count === 1 ? `Mesh missing: ${missing[0]!.name}` : `${count} meshes missing`,
      ),
      ...missing.map(({ name, reason }) => h("p", {}, h("strong", {}, name), " ", reason)),
    );
  }

  /** The base where it is in the world. Without a known height the feet of legged robots are on the floor; other
   *  robots keep their height. */
  private placeBase(isFirst: boolean): void {
    const { base, baseFrom, isLegged } = this.cockpit;
    if (this.figure === undefined) {
      return;
    }
    const { position, orientation } = base;
    const hasHeight = baseFrom === "truth" || baseFrom === "estimate";
    this.standing.position.set(position.x, position.y, this.standing.position.z);
    this.standing.quaternion.set(orientation.x, orientation.y, orientation.z, orientation.w);
    if (hasHeight) {
      this.standing.position.z = position.z;
    } else if (isFirst || isLegged) {
      this.standing.position.z = 0;
      this.standing.updateMatrixWorld(true);
      this.standing.position.z = -lowest(this.figure);
    }
    this.standing.updateMatrixWorld(true);
    this.stage.follow(position.x, position.y, this.choice.follows && baseFrom !== "");
  }

  /** The point of the floor below a point of the root frame, in that frame. */
  private below({ x, y, z }: Point): Point {
    const place = this.standing.localToWorld(new THREE.Vector3(x, y, z));
    return this.standing.worldToLocal(place.setZ(0));
  }

  private updateGround(): void {
    const { cockpit, choice, forces, trails } = this;
    const isMoving = cockpit.baseFrom === "truth" || cockpit.baseFrom === "estimate";
    if (forces !== undefined) {
      forces.group.visible = choice.showsForces && cockpit.forces !== undefined;
      const weight = GRAVITY * (cockpit.balance?.mass ?? 1);
      if (cockpit.forces !== undefined && forces.group.visible) {
        forces.show(cockpit.forces, weight);
      }
    }
    for (const foot of isMoving ? cockpit.feet : []) {
      const tip = cockpit.tips.get(foot);
      if (tip !== undefined) {
        trails?.add(foot, outer(cockpit.base, tip.position));
      }
    }
  }

  /** Whether the robot moved visibly since the last drawing. A robot at rest is not redrawn. */
  private hasMoved(): boolean {
    const { desired, measured, base, forces } = this.cockpit;
    const { position, orientation } = base;
    const place = [position, orientation].flatMap(({ x, y, z }) => [x, y, z]);
    const newtons = (forces?.wrench ?? []).flatMap(({ force: { x, y, z } }) => [x, y, z]);
    const now = [
      desired.position,
      measured.position,
      new Float64Array(place),
      new Float64Array(newtons.map((newton) => VISIBLE_SHARE * newton)),
    ];
    const isSame = now.every((values, k) => {
      const before = this.drawn[k];
      return (
        before?.length === values.length &&
        values.every((value, i) => Math.abs(value - before[i]!) < VISIBLE)
      );
    });
    if (!isSame) {
      this.drawn = now.map((values) => values.slice());
    }
    return !isSame;
  }

  private update(): void {
    const { cockpit, choice, figure, ghost } = this;
    if (figure === undefined || ghost === undefined) {
      return;
    }
    const hasMeasured = cockpit.measured.isKnown;
    const measuredIsSolid = choice.measuredIsSolid && hasMeasured;
    setPose(figure.robot, measuredIsSolid ? cockpit.measured : cockpit.desired);
    ghost.visible = choice.showsOther && hasMeasured;
    if (ghost.visible) {
      setPose(ghost, measuredIsSolid ? cockpit.desired : cockpit.measured);
    }
    this.placeBase(false);
    this.updateGround();
    if (this.balance !== undefined) {
      this.balance.group.visible = choice.showsBalance && cockpit.balance !== undefined;
      if (cockpit.balance !== undefined) {
        this.balance.show(cockpit.balance, this.below(cockpit.balance.com));
      }
    }
    this.tips.grabs = makeGrabs(cockpit, this);
    this.tips.update(choice.showsTips);
  }

  private paint(): void {
    const tint = this.ghost?.userData["tint"] as THREE.MeshStandardMaterial | undefined;
    tint?.color.set(colour("ghost"));
    this.balance?.paint(colour("accent"), colour("danger"));
    this.tips.paint(colour("handle"), colour("accent"));
    this.forces?.paint(colour("force"));
    this.trails?.paint(colour("accent"));
    this.stage.paint();
  }

  // ---- buttons ----

  private makeTools(): void {
    const change = (key: keyof Choice, value: boolean) => {
      this.choice[key] = value;
      localStorage.setItem(KEY, JSON.stringify(this.choice));
      this.stage.draw();
      refresh();
    };
    const chip = (key: keyof Choice, text: string, title: string) =>
      h(
        "button",
        {
          class: "chip",
          type: "button",
          title,
          "aria-pressed": String(this.choice[key]),
          onclick: () => change(key, !this.choice[key]),
          "data-key": key,
        },
        text,
      );
    const solid = h("button", {
      class: "chip",
      type: "button",
      id: "solid",
      title: "Which pose is drawn solid; the other is the ghost",
      onclick: () => change("measuredIsSolid", !this.choice.measuredIsSolid),
    });
    const other = chip("showsOther", "Ghost", "The other pose, transparent");
    const balance = chip("showsBalance", "Balance", "Support polygon, centre of mass, ZMP");
    const tips = chip(
      "showsTips",
      "Handles",
      "Draggable handles: tips of limbs, the body, the point that the head looks at",
    );
    const forces = chip("showsForces", "Forces", "Forces of the ground on the feet");
    const follows = chip("follows", "Follow", "The camera goes with the robot");
    const home = h(
      "button",
      {
        class: "chip",
        type: "button",
        title: "Show the whole robot",
        "aria-label": "Show the whole robot",
        onclick: () => this.stage.goHome(),
      },
      icon(ICONS.fit),
    );
    const refresh = () => {
      const { roles, measured } = this.cockpit;
      for (const button of [other, balance, tips, forces, follows]) {
        const key = button.dataset["key"] as keyof Choice;
        button.setAttribute("aria-pressed", String(this.choice[key]));
      }
      solid.textContent = this.choice.measuredIsSolid ? "Solid: measured" : "Solid: desired";
      toggle(solid, measured.isKnown || roles.measured !== undefined);
      toggle(other, measured.isKnown || roles.measured !== undefined);
      toggle(balance, roles.dynamics !== undefined);
      toggle(tips, this.reach.isPossible);
      const isFree = this.cockpit.baseFrom === "truth" || this.cockpit.baseFrom === "estimate";
      toggle(forces, this.cockpit.forces !== undefined);
      toggle(follows, isFree);
    };
    this.cockpit.onRoles.on(refresh);
    this.cockpit.onConnection.on(refresh);
    this.cockpit.onBase.on(throttle(1, refresh));
    refresh();
    byId("tools").append(solid, other, balance, forces, tips, follows, home);
  }
}
