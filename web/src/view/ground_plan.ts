// Where the robot shall stand: a ghost of it with a ring for the heading, and the planned way there.
import * as THREE from "three";
import type { URDFRobot } from "urdf-loader";
import type { MoveBase, Place } from "../walk/move_base";
import type { Plan } from "../walk/plan";
import { turnTo } from "../walk/plan";
import type { PoseTrack } from "../system/pose";
import { type Figure, makeGhost, setPose } from "./figure";
import { Markers } from "./markers";

export class GroundPlan {
  readonly group = new THREE.Group();
  /** Of the ring, m. */
  readonly radius: number;
  private readonly ghost: URDFRobot;
  private readonly place = new THREE.Group();
  private readonly ring: THREE.Mesh<THREE.RingGeometry, THREE.MeshBasicMaterial>;
  private readonly path: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly footholds: Markers;
  private shown: Plan | undefined;

  constructor(figure: Figure) {
    this.radius = 0.48 * figure.scale;
    this.ghost = makeGhost(figure, new THREE.Color());
    this.ring = new THREE.Mesh(
      new THREE.RingGeometry(this.radius - 0.008 * figure.scale, this.radius, 64),
      new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, transparent: true, opacity: 0.7 }),
    );
    this.path = new THREE.Line(
      new THREE.BufferGeometry(),
      new THREE.LineBasicMaterial({ depthTest: false }),
    );
    this.path.frustumCulled = false;
    this.path.renderOrder = 5;
    this.footholds = new Markers(0.02 * figure.scale);
    this.ring.position.z = 0.002 * figure.scale;
    this.place.add(this.ghost, this.ring);
    this.group.add(this.place, this.path, this.footholds.group);
    this.group.visible = false;
  }

  paint(ghost: string, way: string): void {
    (this.ghost.userData["tint"] as THREE.MeshStandardMaterial).color.set(ghost);
    this.ring.material.color.set(way);
    this.path.material.color.set(way);
    this.footholds.paint(way);
  }

  /** Called before each drawing. */
  show({ place, plan, height }: MoveBase, pose: PoseTrack): void {
    this.group.visible = place !== undefined;
    if (place === undefined) {
      return;
    }
    setPose(this.ghost, pose);
    this.put(place, height);
    this.path.visible = this.footholds.group.visible = plan !== undefined;
    if (plan !== undefined && plan !== this.shown) {
      this.shown = plan;
      this.path.geometry.setFromPoints(plan.path.map(({ x, y }) => new THREE.Vector3(x, y, 0)));
      this.footholds.show(plan.footholds.map((foothold) => foothold.place));
    }
  }

  private put({ x, y, heading }: Place, height: number): void {
    const turn = turnTo(heading);
    this.place.position.set(x, y, 0);
    this.place.quaternion.set(turn.x, turn.y, turn.z, turn.w);
    this.ghost.position.z = height;
  }
}
