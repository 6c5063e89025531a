// The two links that are nearest to each other: a line between their nearest points, and its length.
import * as THREE from "three";
import type { CollisionState, Point } from "../system/messages";
import { setText, toggle } from "../ui/dom";

const MARGIN_PX = 20; // of the label to the right and lower edge, its own included

/** For people: `12.3 mm`, `0 mm` in contact. */
export function distanceText(metres: number): string {
  return metres <= 0 ? "contact" : `${(1000 * metres).toFixed(metres < 0.01 ? 1 : 0)} mm`;
}

export class NearestPair {
  readonly group = new THREE.Group();
  private readonly line: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly ends: THREE.Mesh<THREE.SphereGeometry, THREE.MeshBasicMaterial>[];
  private near = new THREE.Color();
  private blocked = new THREE.Color();

  /** @param label  an element over the picture  @param radius  of the ends of the line, m */
  constructor(
    private readonly label: HTMLElement,
    radius: number,
  ) {
    const over = { depthTest: false, transparent: true };
    this.line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial(over));
    this.ends = [0, 1].map(
      () =>
        new THREE.Mesh(new THREE.SphereGeometry(radius, 16, 12), new THREE.MeshBasicMaterial(over)),
    );
    this.line.frustumCulled = false;
    this.group.add(this.line, ...this.ends);
    this.group.children.forEach((part) => (part.renderOrder = 6));
    this.group.visible = false;
  }

  paint(near: string, blocked: string): void {
    this.near.set(near);
    this.blocked.set(blocked);
  }

  /** @param state     undefined: draw nothing
   *  @param toScreen  pixel of a point in the root frame */
  show(
    state: CollisionState | undefined,
    toScreen: (point: Point) => { x: number; y: number },
  ): void {
    this.group.visible = state !== undefined;
    toggle(this.label, state !== undefined);
    if (state === undefined) {
      return;
    }
    const points = [state.point_a, state.point_b].map(({ x, y, z }) => new THREE.Vector3(x, y, z));
    const colour = state.blocked ? this.blocked : this.near;
    this.line.geometry.setFromPoints(points);
    this.line.material.color.copy(colour);
    this.ends.forEach((end, i) => {
      end.position.copy(points[i]!);
      end.material.color.copy(colour);
    });
    this.label.classList.toggle("bad", state.blocked);
    const names = `${state.link_a} and ${state.link_b}`;
    const text = distanceText(state.distance);
    setText(this.label, state.blocked ? `${text} · ${names} blocked` : text);
    this.label.title = names;
    this.placeLabel(toScreen(points[0]!.add(points[1]!).multiplyScalar(0.5)));
  }

  /** Beside a pixel, inside the picture. */
  private placeLabel({ x, y }: { x: number; y: number }): void {
    const { label } = this;
    const room = label.parentElement!;
    const inside = (at: number, whole: number, size: number) =>
      Math.max(0, Math.min(at, whole - size - MARGIN_PX));
    const left = inside(x, room.clientWidth, label.offsetWidth);
    const top = inside(y, room.clientHeight, label.offsetHeight);
    label.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
  }
}
