// Where the feet went over the ground: a line behind each, that fades.
import * as THREE from "three";
import type { Point } from "../system/messages";

const POINTS_MAX = 240;

export class Trails {
  readonly group = new THREE.Group();
  private readonly lines = new Map<string, THREE.Line<THREE.BufferGeometry, THREE.Material>>();
  private readonly places = new Map<string, Point[]>();
  private readonly material = new THREE.LineBasicMaterial({
    vertexColors: true,
    transparent: true,
  });

  /** @param step  shortest way that is drawn, m */
  constructor(private readonly step: number) {}

  paint(colour: string): void {
    this.material.color.set(colour);
  }

  clear(): void {
    this.group.clear();
    this.lines.clear();
    this.places.clear();
  }

  /** A foot is here, in the world. */
  add(foot: string, at: Point): void {
    const places = this.places.get(foot) ?? [];
    this.places.set(foot, places);
    const last = places.at(-1);
    const way = last && Math.hypot(at.x - last.x, at.y - last.y, at.z - last.z);
    if (way !== undefined && way < this.step) {
      return;
    }
    if (way !== undefined && way > 40 * this.step) {
      places.length = 0; // the robot was put elsewhere
    }
    places.push({ ...at });
    places.splice(0, places.length - POINTS_MAX);
    this.draw(foot, places);
  }

  /** Number of points of a foot, for tests. */
  count(foot: string): number {
    return this.places.get(foot)?.length ?? 0;
  }

  private draw(foot: string, places: Point[]): void {
    let line = this.lines.get(foot);
    if (line === undefined) {
      line = new THREE.Line(new THREE.BufferGeometry(), this.material);
      line.frustumCulled = false;
      this.lines.set(foot, line);
      this.group.add(line);
    }
    const positions = new Float32Array(3 * places.length);
    const colours = new Float32Array(4 * places.length);
    places.forEach(({ x, y, z }, i) => {
      positions.set([x, y, z], 3 * i);
      colours.set([1, 1, 1, (i + 1) / places.length], 4 * i);
    });
    line.geometry.dispose();
    line.geometry = new THREE.BufferGeometry();
    line.geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    line.geometry.setAttribute("color", new THREE.BufferAttribute(colours, 4));
  }
}
