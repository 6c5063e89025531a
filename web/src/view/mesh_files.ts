// The files that a mesh names: materials and textures. A mesh is drawn when all of them have arrived, or failed.
import * as THREE from "three";
import { TGALoader } from "three/examples/jsm/loaders/TGALoader.js";

export class MeshFiles {
  readonly manager = new THREE.LoadingManager();
  /** URLs that could not be loaded. */
  readonly failed = new Set<string>();
  private open = 0;
  private waiting: (() => void)[] = [];

  constructor() {
    const { itemStart, itemEnd } = this.manager;
    this.manager.itemStart = (url) => {
      this.open++;
      itemStart(url);
    };
    this.manager.itemEnd = (url) => {
      this.open--;
      itemEnd(url);
      if (this.open === 0) {
        this.waiting.splice(0).forEach((done) => done());
      }
    };
    this.manager.onError = (url) => this.failed.add(url);
    this.manager.addHandler(/\.tga$/i, new TGALoader(this.manager));
  }

  /** No file is being loaded. */
  settled(): Promise<void> {
    return this.open === 0 ? Promise.resolve() : new Promise((done) => this.waiting.push(done));
  }
}

/** The texture of a material, if it has arrived. */
export function textureOf(material: THREE.Material): THREE.Texture | undefined {
  const map = "map" in material ? material.map : undefined;
  return map instanceof THREE.Texture && map.image ? map : undefined;
}
