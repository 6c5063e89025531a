// Balance of the robot: support polygon, centre of mass with its plumb line, zero-moment point.
import * as THREE from "three";
import type { BalanceState, Point } from "../system/messages";

export class BalanceOverlay {
  readonly group = new THREE.Group();
  private readonly fill: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private readonly edge: THREE.LineLoop<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly com: THREE.Mesh<THREE.SphereGeometry, THREE.MeshBasicMaterial>;
  private readonly plumb: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly foot: THREE.Mesh<THREE.RingGeometry, THREE.MeshBasicMaterial>;
  private readonly zmp: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private good = new THREE.Color();
  private bad = new THREE.Color();

  constructor(private readonly size: number) {
    const over = { depthTest: false, transparent: true };
    this.fill = new THREE.Mesh(
      new THREE.BufferGeometry(),
      new THREE.MeshBasicMaterial({ ...over, opacity: 0.16, side: THREE.DoubleSide }),
    );
    this.edge = new THREE.LineLoop(new THREE.BufferGeometry(), new THREE.LineBasicMaterial(over));
    this.com = new THREE.Mesh(
      new THREE.SphereGeometry(0.018 * size, 24, 16),
      new THREE.MeshBasicMaterial(over),
    );
    this.plumb = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial(over));
    this.foot = new THREE.Mesh(
      new THREE.RingGeometry(0.016 * size, 0.022 * size, 32),
      new THREE.MeshBasicMaterial({ ...over, side: THREE.DoubleSide }),
    );
    const arm = 0.028 * size;
    const cross = [-arm, -arm, 0, arm, arm, 0, -arm, arm, 0, arm, -arm, 0];
    this.zmp = new THREE.LineSegments(
      new THREE.BufferGeometry().setAttribute(
        "position",
        new THREE.Float32BufferAttribute(cross, 3),
      ),
      new THREE.LineBasicMaterial(over),
    );
    for (const part of [this.fill, this.edge, this.com, this.plumb, this.foot, this.zmp]) {
      part.renderOrder = 5;
      part.frustumCulled = false;
      this.group.add(part);
    }
    this.group.visible = false;
  }

  paint(good: string, bad: string): void {
    this.good.set(good);
    this.bad.set(bad);
  }

  /** @param below  the point of the floor below the centre of mass, in the message's frame */
  show(balance: BalanceState, below: Point): void {
    const { polygon, com, zmp } = balance;
    const hasSupport = polygon.length >= 3;
    const colour = hasSupport && balance.margin < 0 ? this.bad : this.good;
    for (const part of [this.fill, this.edge, this.com, this.plumb, this.foot, this.zmp]) {
      part.material.color.copy(colour);
    }
    const lift = 0.002 * this.size;
    const place = ({ x, y, z }: Point) => new THREE.Vector3(x, y, z + lift);
    this.fill.visible = this.edge.visible = hasSupport;
    if (hasSupport) {
      const points = polygon.map(place);
      this.edge.geometry.setFromPoints(points);
      this.fill.geometry.setFromPoints(points);
      this.fill.geometry.setIndex(
        points.slice(2).flatMap((_, i) => [0, i + 1, i + 2]), // convex: a fan covers it
      );
    }
    this.com.position.set(com.x, com.y, com.z);
    const under = place(below);
    this.plumb.geometry.setFromPoints([this.com.position, under]);
    this.foot.position.copy(under);
    this.zmp.visible = hasSupport;
    this.zmp.position.copy(place(zmp));
  }
}
