// Forces of the ground on the feet, as arrows.
import * as THREE from "three";
import type { RigidBodyState } from "../system/messages";

const SMALL = 0.05; // N: smaller forces are not drawn

export class Forces {
  readonly group = new THREE.Group();
  private readonly arrows: THREE.ArrowHelper[] = [];
  private colour = new THREE.Color();

  /** @param size  of the robot, m: the weight of the robot on one foot is half as long */
  constructor(private readonly size: number) {}

  paint(colour: string): void {
    this.colour.set(colour);
  }

  /** @param weight  of the robot, N
   *  @return how many are drawn */
  show({ pose, wrench }: RigidBodyState, weight: number): number {
    let count = 0;
    pose.forEach(({ position }, i) => {
      const force = wrench[i]?.force;
      const newton = force ? Math.hypot(force.x, force.y, force.z) : 0;
      if (force !== undefined && newton > SMALL) {
        const arrow = this.arrow(count++);
        const length = 0.5 * this.size * Math.min(newton / weight, 2);
        arrow.position.set(position.x, position.y, position.z);
        arrow.setDirection(new THREE.Vector3(force.x, force.y, force.z).divideScalar(newton));
        arrow.setLength(length, Math.min(0.3 * length, 0.05 * this.size), 0.025 * this.size);
        arrow.setColor(this.colour);
      }
    });
    this.arrows.forEach((arrow, i) => (arrow.visible = i < count));
    return count;
  }

  private arrow(index: number): THREE.ArrowHelper {
    let arrow = this.arrows[index];
    if (arrow === undefined) {
      arrow = new THREE.ArrowHelper();
      arrow.renderOrder = 4;
      for (const part of [arrow.line, arrow.cone]) {
        (part.material as THREE.Material).depthTest = false;
        part.renderOrder = 4;
      }
      this.arrows.push(arrow);
      this.group.add(arrow);
    }
    return arrow;
  }
}
