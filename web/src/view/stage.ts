// The scene: camera, lights, floor. Draws only when something changed.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { colour } from "../ui/theme";
import { nextFrame } from "../ui/frame";
import { Quality } from "./quality";

const CELLS = 40;

/** Grid lines that fade with distance. */
function makeGrid(cell: number): THREE.LineSegments {
  const points: number[] = [];
  const alphas: number[] = [];
  const half = (CELLS / 2) * cell;
  const alpha = (x: number, y: number, isMajor: boolean) =>
    Math.max(0, 1 - Math.hypot(x, y) / half) ** 1.5 * (isMajor ? 1 : 0.45);
  const segment = (x0: number, y0: number, x1: number, y1: number, isMajor: boolean) => {
    points.push(x0, y0, 0, x1, y1, 0);
    alphas.push(1, 1, 1, alpha(x0, y0, isMajor), 1, 1, 1, alpha(x1, y1, isMajor));
  };
  for (let i = -CELLS / 2; i <= CELLS / 2; i++) {
    for (let j = -CELLS / 2; j < CELLS / 2; j++) {
      segment(i * cell, j * cell, i * cell, (j + 1) * cell, i % 5 === 0);
      segment(j * cell, i * cell, (j + 1) * cell, i * cell, i % 5 === 0);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(alphas, 4));
  const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true });
  return new THREE.LineSegments(geometry, material);
}

export class Stage {
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
  readonly controls: OrbitControls;
  /** Everything in the scene; the floor is at z = 0. */
  readonly world = new THREE.Scene();
  /** Called before each drawing. */
  onDraw: () => void = () => undefined;
  frames = 0;

  private readonly renderer: THREE.WebGLRenderer;
  private readonly quality: Quality;
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.1);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x8a8f98, 1.5);
  private readonly shadow = new THREE.ShadowMaterial({ opacity: 0.22 });
  private grid = makeGrid(0.05);
  private readonly followed = new THREE.Vector3();
  private cell = 0.05;
  private home: { eye: THREE.Vector3; target: THREE.Vector3 } | undefined;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.quality = new Quality(this.renderer, () => this.resize());
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.maxPolarAngle = 0.56 * Math.PI;
    this.controls.addEventListener("change", () => this.draw());
    const floor = new THREE.Mesh(new THREE.PlaneGeometry(200, 200), this.shadow);
    floor.receiveShadow = true;
    floor.renderOrder = -1;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 5;
    const fill = new THREE.DirectionalLight(0xffffff, 0.5);
    fill.position.set(-3, -4, 2);
    this.world.add(floor, this.grid, this.sun, this.sun.target, this.sky, fill);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  private resize(): void {
    const box = this.canvas.parentElement!.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) {
      return;
    }
    this.quality.apply(box.width, box.height);
    this.camera.aspect = box.width / box.height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** Adapt lights, floor and camera to a robot of this size. */
  fit(box: THREE.Box3): void {
    const centre = box.getCenter(new THREE.Vector3());
    const radius = Math.max(box.getBoundingSphere(new THREE.Sphere()).radius, 0.05);
    const cell = 10 ** Math.round(Math.log10(radius / 2.5)) / 2;
    this.grid.removeFromParent();
    this.grid.geometry.dispose();
    this.cell = Math.max(cell, 0.025 * radius);
    this.grid = makeGrid(this.cell);
    this.world.add(this.grid);
    this.followed.set(0, 0, 0);
    this.sun.position.set(centre.x + 1.2 * radius, centre.y - 1.6 * radius, centre.z + 3 * radius);
    this.sun.target.position.copy(centre);
    const view = this.sun.shadow.camera;
    view.left = view.bottom = -1.8 * radius;
    view.right = view.top = 1.8 * radius;
    view.near = 0.1 * radius;
    view.far = 8 * radius;
    view.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.012 * radius;
    this.camera.near = 0.02 * radius;
    this.camera.far = 60 * radius;
    const eye = this.standBack(box, centre, new THREE.Vector3(0.86, -0.72, 0.42).normalize());
    this.home = { eye, target: centre };
    this.controls.minDistance = 0.3 * radius;
    this.controls.maxDistance = 20 * radius;
    this.goHome();
    this.paint();
  }

  /** Camera, lights and floor go with a robot that is here.
   *  @param withCamera  false: the camera stays */
  follow(x: number, y: number, withCamera: boolean): void {
    const by = new THREE.Vector3(x, y, 0).sub(this.followed);
    if (by.length() < 1e-5) {
      return;
    }
    this.followed.set(x, y, 0);
    this.sun.position.add(by);
    this.sun.target.position.add(by);
    const major = 5 * this.cell; // the lines stay where they are
    this.grid.position.set(major * Math.round(x / major), major * Math.round(y / major), 0);
    this.home?.eye.add(by);
    this.home?.target.add(by);
    if (withCamera) {
      this.camera.position.add(by);
      this.controls.target.add(by);
      this.controls.update();
    }
  }

  /** The nearest camera position in this direction that shows the whole box. */
  private standBack(box: THREE.Box3, centre: THREE.Vector3, way: THREE.Vector3): THREE.Vector3 {
    const right = new THREE.Vector3().crossVectors(this.camera.up, way).normalize();
    const up = new THREE.Vector3().crossVectors(way, right);
    const tall = Math.tan((Math.PI * this.camera.fov) / 360);
    const wide = tall * this.camera.aspect;
    let away = 0;
    for (const x of [box.min.x, box.max.x]) {
      for (const y of [box.min.y, box.max.y]) {
        for (const z of [box.min.z, box.max.z]) {
          const corner = new THREE.Vector3(x, y, z).sub(centre);
          const need = Math.max(
            Math.abs(corner.dot(right)) / wide,
            Math.abs(corner.dot(up)) / tall,
          );
          away = Math.max(away, corner.dot(way) + need);
        }
      }
    }
    return way
      .clone()
      .multiplyScalar(1.02 * away)
      .add(centre);
  }

  /** Show at least this many times as much as the view of the whole robot does. */
  widen(factor: number): void {
    if (this.home === undefined) {
      return;
    }
    const { position } = this.camera;
    const { target } = this.controls;
    const least = factor * this.home.eye.distanceTo(this.home.target);
    const away = position.distanceTo(target);
    if (away < least) {
      position
        .sub(target)
        .multiplyScalar(least / away)
        .add(target);
      this.controls.update();
      this.draw();
    }
  }

  goHome(): void {
    if (this.home !== undefined) {
      this.camera.position.copy(this.home.eye);
      this.controls.target.copy(this.home.target);
      this.controls.update();
      this.draw();
    }
  }

  /** The theme changed. */
  paint(): void {
    const lines = this.grid.material as THREE.LineBasicMaterial;
    lines.color.set(colour("grid"));
    this.shadow.opacity = Number(colour("shadow")) || 0.22;
    this.draw();
  }

  draw(): void {
    nextFrame(this.render);
  }

  private readonly render = (): void => {
    if (!this.quality.isTime()) {
      this.draw(); // try again in the next frame
      return;
    }
    this.renderNow();
  };

  /** Draw immediately, for callers that read the picture. */
  renderNow(): void {
    this.onDraw();
    this.renderer.render(this.world, this.camera);
    this.frames++;
  }
}
