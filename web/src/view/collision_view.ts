// Collisions in the scene: the bodies that are checked, the nearest pair, and the objects around the robot.
import * as THREE from "three";
import type { Collision } from "../system/collision";
import type { CollisionState, Point } from "../system/messages";
import type { PoseTrack } from "../system/pose";
import { byId } from "../ui/dom";
import { colour } from "../ui/theme";
import { Bodies } from "./bodies";
import { setPose } from "./figure";
import { NearestPair } from "./nearest";
import { WorldObjects } from "./world_objects";

export class CollisionView {
  /** In the root frame. */
  readonly group = new THREE.Group();
  bodies: Bodies | undefined;
  readonly nearest: NearestPair;
  readonly objects = new WorldObjects();
  private isLoading = false;

  /** @param redraw  called when the bodies are loaded */
  constructor(
    private readonly collision: Collision,
    private readonly urdf: string,
    size: number,
    private readonly redraw: () => void,
  ) {
    this.nearest = new NearestPair(byId("nearest"), 0.008 * size);
    this.group.add(this.nearest.group, this.objects.group);
    this.paint();
  }

  paint(): void {
    const [plain, near, blocked] = [colour("handle"), colour("accent"), colour("danger")];
    this.bodies?.paint(plain, near, blocked);
    this.nearest.paint(near, blocked);
    this.objects.paint(colour("warn"), near);
  }

  /** The pair to draw: any while the bodies are shown, otherwise only one that blocks. */
  private pair(isShown: boolean): CollisionState | undefined {
    const { state } = this.collision;
    return state?.near && (isShown || state.blocked) ? state : undefined;
  }

  /** Called before each drawing.
   *  @param isShown   the bodies are
   *  @param toScreen  pixel of a point in the root frame */
  update(
    isShown: boolean,
    pose: PoseTrack,
    toScreen: (point: Point) => { x: number; y: number },
  ): void {
    const { collision, bodies } = this;
    const pair = this.pair(isShown);
    const { position, orientation } = collision.world;
    this.objects.group.position.set(position.x, position.y, position.z);
    this.objects.group.quaternion.set(orientation.x, orientation.y, orientation.z, orientation.w);
    this.objects.show(collision.objects, collision.box);
    this.nearest.show(pair, toScreen);
    if (bodies !== undefined) {
      bodies.robot.visible = isShown;
      if (isShown) {
        setPose(bodies.robot, pose);
        bodies.mark(pair === undefined ? [] : [pair.link_a, pair.link_b], pair?.blocked ?? false);
      }
    } else if (isShown && !this.isLoading) {
      this.isLoading = true;
      void this.load();
    }
  }

  private async load(): Promise<void> {
    this.bodies = await Bodies.load(this.urdf);
    this.group.add(this.bodies.robot);
    this.paint();
    this.redraw();
  }

  /** The robot changed. */
  remove(): void {
    this.group.removeFromParent();
    this.nearest.show(undefined, () => ({ x: 0, y: 0 }));
  }
}
