// The parts of a link in its frame: those with a texture, and coloured ones, which become a single mesh.
import * as THREE from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { URDFLink } from "urdf-loader";
import { textureOf } from "./mesh_files";
import { paintGroups } from "./skeleton";

const PLAIN = new THREE.Color(0xd8dce2);
const ROUGHNESS = 0.62;

export interface Part {
  geometry: THREE.BufferGeometry;
  /** undefined: it has vertex colours */
  texture?: THREE.Texture;
}

/** Without an index, with normals, and only with what is drawn: geometries can be merged. */
export function sameAttributes(
  geometry: THREE.BufferGeometry,
  hasTexture = false,
): THREE.BufferGeometry {
  const kept = ["position", "normal", "color", ...(hasTexture ? ["uv"] : [])];
  const flat = geometry.index === null ? geometry.clone() : geometry.toNonIndexed();
  for (const name of Object.keys(flat.attributes)) {
    if (!kept.includes(name)) {
      flat.deleteAttribute(name);
    }
  }
  if (!flat.hasAttribute("normal")) {
    flat.computeVertexNormals();
  }
  return flat;
}

function colourOf(material: THREE.Material): THREE.Color {
  const stated = "color" in material ? material.color : undefined;
  if (!(stated instanceof THREE.Color)) {
    return PLAIN;
  }
  // Colours in a URDF are sRGB; those of a mesh are already linear.
  return material.userData["isWorkingColour"] === true
    ? stated
    : new THREE.Color().setRGB(stated.r, stated.g, stated.b, THREE.SRGBColorSpace);
}

/** Some vertices of a geometry without an index. */
function slice(geometry: THREE.BufferGeometry, start: number, count: number): THREE.BufferGeometry {
  const part = new THREE.BufferGeometry();
  for (const [name, attribute] of Object.entries(geometry.attributes)) {
    const { array, itemSize } = attribute as THREE.BufferAttribute;
    const values = Float32Array.from(array.subarray(start * itemSize, (start + count) * itemSize));
    part.setAttribute(name, new THREE.BufferAttribute(values, itemSize));
  }
  return part;
}

/** One part for each material of a mesh that has a texture; else one for all. */
function partsOf(mesh: THREE.Mesh, toLink: THREE.Matrix4): Part[] {
  const materials = [mesh.material].flat();
  const source = mesh.geometry;
  const hasTexture = source.hasAttribute("uv") && materials.some((one) => textureOf(one));
  const geometry = sameAttributes(source, hasTexture).applyMatrix4(
    new THREE.Matrix4().multiplyMatrices(toLink, mesh.matrixWorld),
  );
  const colours = materials.map(colourOf);
  paintGroups(geometry, colours);
  if (!hasTexture) {
    return [{ geometry }];
  }
  const all = { start: 0, count: geometry.getAttribute("position").count, materialIndex: 0 };
  const groups = materials.length > 1 ? geometry.groups : [all];
  return groups.map(({ start, count, materialIndex = 0 }) => {
    const texture = textureOf(materials[materialIndex] ?? materials[0]!);
    const part = slice(geometry, start, Math.min(count, all.count - start));
    if (texture === undefined) {
      part.deleteAttribute("uv");
      return { geometry: part };
    }
    return { geometry: part, texture };
  });
}

/** All meshes of a link's visuals, in its frame. */
export function drawVisuals(link: URDFLink): Part[] {
  const parts: Part[] = [];
  const toLink = new THREE.Matrix4().copy(link.matrixWorld).invert();
  for (const visual of link.children.filter((node) => "isURDFVisual" in node)) {
    visual.traverse((node) => {
      if (node instanceof THREE.Mesh && node.geometry.getAttribute("position")?.count > 0) {
        parts.push(...partsOf(node as THREE.Mesh, toLink));
      }
    });
  }
  return parts;
}

/** One mesh for all coloured parts, and one for each texture; the colour of the material tints it.
 *  @param material  of the coloured parts */
export function mergeParts(parts: Part[], material: THREE.Material): THREE.Mesh[] {
  const textures = new Set(parts.map(({ texture }) => texture));
  return [...textures].flatMap((texture) => {
    const own = parts.filter((part) => part.texture === texture).map(({ geometry }) => geometry);
    const merged = mergeGeometries(own);
    if (merged === null) {
      return [];
    }
    const painted =
      texture === undefined
        ? material
        : new THREE.MeshStandardMaterial({
            map: texture,
            vertexColors: true,
            roughness: ROUGHNESS,
          });
    return [new THREE.Mesh(merged, painted)];
  });
}
