// The robot in the scene: one figure for the desired pose, one for the measured pose.
import * as THREE from "three";
import type { URDFRobot } from "urdf-loader";
import type { Cockpit } from "../system/cockpit";
import { Body } from "../system/body";
import { Collision } from "../system/collision";
import { Gaze } from "../system/gaze";
import { outer } from "../system/geometry";
import type { Point } from "../system/messages";
import { MoveBase } from "../walk/move_base";
import { Reach } from "../system/reach";
import { ToolMove } from "../tool/tool_move";
import { Tools } from "../tool/tools";
import { byId, h, toggle } from "../ui/dom";
import { colour, watchTheme } from "../ui/theme";
import { BalanceOverlay } from "./balance";
import { CollisionView } from "./collision_view";
import { Forces } from "./forces";
import { makeGrabs } from "./grabs";
import { type Figure, lowest, makeFigure, makeGhost, setPose } from "./figure";
import { Gizmo } from "./gizmo";
import { GroundPlan } from "./ground_plan";
import { Markers } from "./markers";
import { Stage } from "./stage";
import { Tips } from "./tips";
import { ToolView } from "./tool_view";
import { Choice, makeTools, ROOM, TOOL_ROOM } from "./tools";
import { Trails } from "./trails";
import { Watcher } from "./watcher";

const VISIBLE = 1e-4; // rad or m: smaller motions cannot be seen
const APART = 1e-3; // rad or m: a ghost that is closer hides in the robot, and drawing it takes longer than the robot
const VISIBLE_SHARE = 1e-3; // of a force: changes below 0.1 N cannot be seen

const GRAVITY = 9.81; // m/s²

export class RobotView {
  readonly stage: Stage;
  readonly reach: Reach;
  readonly body: Body;
  readonly gaze: Gaze;
  readonly tips: Tips;
  readonly moveBase: MoveBase;
  readonly watcher: Watcher;
  readonly collision: Collision;
  readonly toolMove: ToolMove;
  /** Whose axes the gizmo has. */
  axes: "world" | "local" = "world";
  readonly openGizmo = (): void => this.placeTool();
  readonly openBox = (): void => this.drawBox();
  private readonly choice: Choice;
  private readonly standing = new THREE.Group(); // the base in the world, or an offset to the floor
  figure: Figure | undefined;
  private ghost: URDFRobot | undefined;
  private balance: BalanceOverlay | undefined;
  forces: Forces | undefined;
  trails: Trails | undefined;
  /** Where feet go next. */
  footholds: Markers | undefined;
  plan: GroundPlan | undefined;
  collisionView: CollisionView | undefined;
  toolView: ToolView | undefined;
  private readonly gizmo: Gizmo;
  private drawn: Float64Array[] = [];

  constructor(
    private readonly cockpit: Cockpit,
    announce: (text: string) => void,
  ) {
    this.stage = new Stage(byId<HTMLCanvasElement>("canvas"));
    this.reach = new Reach(cockpit);
    this.body = new Body(cockpit);
    this.gaze = new Gaze(cockpit);
    this.moveBase = new MoveBase(cockpit);
    this.collision = new Collision(cockpit);
    this.toolMove = new ToolMove(cockpit, new Tools(cockpit));
    this.gizmo = new Gizmo(this.stage);
    this.watcher = new Watcher(cockpit, this.stage);
    this.choice = new Choice(cockpit);
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
    this.reach.onChange = this.body.onChange = draw;
    this.gaze.onChange = () => {
      if (this.gaze.isHeld && this.choice.is("watches")) {
        this.choice.switch("watches"); // the user shows where to look
      }
      draw();
    };
    this.moveBase.onChange.on(draw);
    this.collision.onChange.on(draw);
    this.toolMove.onChange.on(draw);
    const watch = () => this.watcher.switch(this.choice.is("watches"), !this.gaze.isHeld);
    this.choice.onChange.on(watch);
    this.choice.onChange.on(draw);
    cockpit.onRoles.on(watch);
    makeTools(this, cockpit, this.choice);
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
    this.plan?.group.removeFromParent();
    this.footholds?.group.removeFromParent();
    this.collisionView?.remove();
    this.toolView?.remove();
    this.forces = new Forces(figure.scale);
    this.trails = new Trails(0.01 * figure.scale);
    this.footholds = new Markers(0.02 * figure.scale);
    this.plan = new GroundPlan(figure);
    this.collisionView = new CollisionView(this.collision, urdf, figure.scale, () =>
      this.stage.draw(),
    );
    this.toolView = new ToolView(figure, this.toolMove, this.gizmo);
    const { forces, trails, footholds, plan } = this;
    this.stage.world.add(forces.group, trails.group, footholds.group, plan.group);
    this.gaze.distance = 0.45 * figure.scale;
    this.reach.stride.longest = 0.06 * figure.scale;
    this.standing.add(figure.robot, this.ghost, this.balance.group, this.tips.group);
    this.standing.add(this.collisionView.group, this.toolView.group);
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
        count === 1 ? `File missing: ${missing[0]!.name}` : `${count} files missing`,
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
    this.stage.follow(position.x, position.y, this.choice.is("follows") && baseFrom !== "");
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
      forces.group.visible = choice.is("showsForces") && cockpit.forces !== undefined;
      const weight = GRAVITY * (cockpit.balance?.mass ?? 1);
      if (cockpit.forces !== undefined && forces.group.visible) {
        forces.show(cockpit.forces, weight);
      }
    }
    this.footholds?.show((cockpit.footholds?.pose ?? []).map(({ position }) => position));
    this.plan?.show(this.moveBase, cockpit.desired);
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

  /** The user drags something that is not part of the robot. */
  private get isPlacing(): boolean {
    return this.moveBase.place !== undefined || this.collision.box !== undefined;
  }

  /** The gizmo appears at the tool. */
  private placeTool(): void {
    const tool = this.toolMove.tools.current;
    if (tool !== undefined && this.toolView !== undefined) {
      this.moveBase.close();
      this.collision.close();
      this.stage.widen(TOOL_ROOM);
      this.toolMove.open(this.toolView.toolPose(tool, this.cockpit.desired));
    }
  }

  /** A box appears on the floor, in front of the robot. */
  private drawBox(): void {
    const size = this.figure?.scale ?? 1;
    this.moveBase.close();
    this.toolMove.close();
    this.stage.widen(ROOM);
    this.collision.open(this.below({ x: 0.9 * size, y: 0, z: 0 }), 0.25 * size);
  }

  private update(): void {
    const { cockpit, choice, figure, ghost } = this;
    if (figure === undefined || ghost === undefined) {
      return;
    }
    const hasMeasured = cockpit.measured.isKnown;
    const measuredIsSolid = choice.is("measuredIsSolid") && hasMeasured;
    setPose(figure.robot, measuredIsSolid ? cockpit.measured : cockpit.desired);
    ghost.visible =
      choice.is("showsOther") && hasMeasured && cockpit.measured.differs(cockpit.desired, APART);
    if (ghost.visible) {
      setPose(ghost, measuredIsSolid ? cockpit.desired : cockpit.measured);
    }
    this.placeBase(false);
    this.updateGround();
    if (this.balance !== undefined) {
      this.balance.group.visible = choice.is("showsBalance") && cockpit.balance !== undefined;
      if (cockpit.balance !== undefined) {
        this.balance.show(cockpit.balance, this.below(cockpit.balance.com));
      }
    }
    this.collisionView?.update(
      choice.is("showsBodies"),
      measuredIsSolid ? cockpit.measured : cockpit.desired,
      (point) => this.tips.toScreen(point),
    );
    this.toolView?.show(cockpit.desired, this.axes);
    this.tips.grabs = makeGrabs(cockpit, this, this.plan?.radius ?? 0);
    this.tips.update(choice.is("showsTips") || this.isPlacing);
  }

  private paint(): void {
    const tint = this.ghost?.userData["tint"] as THREE.MeshStandardMaterial | undefined;
    tint?.color.set(colour("ghost"));
    this.balance?.paint(colour("accent"), colour("danger"));
    this.tips.paint(colour("handle"), colour("accent"));
    this.forces?.paint(colour("force"));
    this.trails?.paint(colour("accent"));
    this.footholds?.paint(colour("force"));
    this.plan?.paint(colour("ghost"), colour("accent"));
    this.toolView?.paint(colour("ghost"), colour("accent"));
    this.collisionView?.paint();
    this.stage.paint();
  }
}
