// A motion of a tool before it is made: a ghost of the robot at its end, the path of the tool, and the gizmo at its
// target.
import * as THREE from "three";
import type { URDFRobot } from "urdf-loader";
import type { Pose } from "../system/messages";
import type { PoseTrack } from "../system/pose";
import type { Preview, ToolMove } from "../tool/tool_move";
import type { Tool } from "../tool/tools";
import { type Figure, makeGhost, setPose } from "./figure";
import type { Gizmo } from "./gizmo";

export class ToolView {
  readonly group = new THREE.Group();
  private readonly ghost: URDFRobot;
  /** The first link of the tool's chain: poses are relative to it. */
  private readonly frame = new THREE.Group();
  private readonly target = new THREE.Object3D();
  private readonly path: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private shown: Preview | undefined;

  constructor(
    figure: Figure,
    private readonly move: ToolMove,
    private readonly gizmo: Gizmo,
  ) {
    this.ghost = makeGhost(figure, new THREE.Color());
    this.path = new THREE.Line(
      new THREE.BufferGeometry(),
      new THREE.LineBasicMaterial({ depthTest: false }),
    );
    this.path.frustumCulled = false;
    this.path.renderOrder = 5;
    this.frame.add(this.target);
    this.group.add(this.ghost, this.frame, this.path);
    this.gizmo.onMove = () => move.move(this.chosen());
  }

  paint(ghost: string, way: string): void {
    (this.ghost.userData["tint"] as THREE.MeshStandardMaterial).color.set(ghost);
    this.path.material.color.set(way);
  }

  remove(): void {
    this.gizmo.hide();
    this.group.removeFromParent();
  }

  /** The matrix of a link in the root frame, as the ghost is posed. */
  private linkMatrix(link: string): THREE.Matrix4 {
    this.ghost.updateMatrixWorld(true);
    const toRoot = this.group.matrixWorld.clone().invert();
    return toRoot.multiply(this.ghost.links[link]?.matrixWorld ?? new THREE.Matrix4());
  }

  /** The tool in the first link of its chain, with these joints. */
  toolPose({ first, last }: Tool, pose: PoseTrack): Pose {
    setPose(this.ghost, pose);
    const matrix = this.linkMatrix(first).invert().multiply(this.linkMatrix(last));
    const [position, turn] = [new THREE.Vector3(), new THREE.Quaternion()];
    matrix.decompose(position, turn, new THREE.Vector3());
    const { x, y, z } = position;
    return { position: { x, y, z }, orientation: { x: turn.x, y: turn.y, z: turn.z, w: turn.w } };
  }

  private chosen(): Pose {
    const { position: p, quaternion: q } = this.target;
    return {
      position: { x: p.x, y: p.y, z: p.z },
      orientation: { x: q.x, y: q.y, z: q.z, w: q.w },
    };
  }

  /** Called before each drawing. @param space  whose axes the gizmo has */
  show(pose: PoseTrack, space: "world" | "local"): void {
    const { move } = this;
    const tool = move.tools.current;
    this.group.visible = move.isOpen && tool !== undefined;
    if (!this.group.visible || tool === undefined) {
      this.gizmo.hide();
      this.shown = undefined;
      return;
    }
    setPose(this.ghost, pose);
    this.linkMatrix(tool.first).decompose(
      this.frame.position,
      this.frame.quaternion,
      this.frame.scale,
    );
    this.showPreview(tool, move.preview);
    if (move.goal === undefined || move.isMoving) {
      this.gizmo.hide();
      return;
    }
    if (!this.gizmo.isHeld) {
      const { position: p, orientation: q } = move.goal;
      this.target.position.set(p.x, p.y, p.z);
      this.target.quaternion.set(q.x, q.y, q.z, q.w);
    }
    this.gizmo.show(this.target, space);
  }

  private showPreview({ last }: Tool, preview: Preview | undefined): void {
    this.ghost.visible = this.path.visible = preview !== undefined;
    if (preview === undefined) {
      return;
    }
    const place = (pose: number[]) =>
      preview.joints.forEach((joint, i) =>
        this.ghost.joints[joint]?.setJointValue(pose[i] ?? null),
      );
    if (preview !== this.shown) {
      this.shown = preview;
      const points = preview.poses.map((pose) => {
        place(pose);
        return new THREE.Vector3().setFromMatrixPosition(this.linkMatrix(last));
      });
      this.path.geometry.dispose();
      this.path.geometry = new THREE.BufferGeometry().setFromPoints(points);
    }
    place(preview.poses.at(-1)!);
  }
}
