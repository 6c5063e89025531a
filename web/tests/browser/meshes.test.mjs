// Meshes of each format are drawn, each file once; missing ones are drawn as bones.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openPage, robots, System, until } from "./rig.mjs";

const folder = mkdtempSync(join(tmpdir(), "sinew-mesh-"));
after(() => rmSync(folder, { recursive: true, force: true }));

// One tetrahedron, in three formats.
const corners = [
  [0, 0, 0],
  [0.3, 0, 0],
  [0, 0.3, 0],
  [0, 0, 0.3],
];
const faces = [
  [0, 2, 1],
  [0, 1, 3],
  [0, 3, 2],
  [1, 2, 3],
];

function stl() {
  const bytes = Buffer.alloc(84 + 50 * faces.length);
  bytes.writeUInt32LE(faces.length, 80);
  faces.forEach((face, f) => {
    const numbers = [0, 0, 0, ...face.flatMap((corner) => corners[corner])];
    numbers.forEach((number, i) => bytes.writeFloatLE(number, 84 + 50 * f + 4 * i));
  });
  return bytes;
}

const obj = [
  ...corners.map((corner) => `v ${corner.join(" ")}`),
  ...faces.map((face) => `f ${face.map((corner) => corner + 1).join(" ")}`),
].join("\n");

const dae = `<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="meter" meter="1"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa" count="12">${corners.flat().join(" ")}</float_array>
      <technique_common><accessor source="#pa" count="4" stride="3">
        <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
      </accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>${faces.flat().join(" ")}</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene>
  </library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>`;

// The same with two materials: two faces are red, two are half grey.
const effect = (
  name,
  colour,
) => `<effect id="${name}-fx"><profile_COMMON><technique sid="t"><lambert>
  <diffuse><color>${colour} 1</color></diffuse></lambert></technique></profile_COMMON></effect>`;
const triangles = (name, some) => `<triangles count="${some.length}" material="${name}">
  <input semantic="VERTEX" source="#v" offset="0"/><p>${some.flat().join(" ")}</p></triangles>`;
const painted = dae
  .replace(
    /<triangles.*<\/triangles>/,
    triangles("red", faces.slice(0, 2)) + triangles("grey", faces.slice(2)),
  )
  .replace(
    "<library_geometries>",
    `<library_effects>${effect("red", "1 0 0")}${effect("grey", "0.5 0.5 0.5")}</library_effects>
     <library_materials>${["red", "grey"]
       .map(
         (name) =>
           `<material id="${name}-m" name="${name}"><instance_effect url="#${name}-fx"/></material>`,
       )
       .join("")}</library_materials><library_geometries>`,
  )
  .replace(
    `<instance_geometry url="#g"/>`,
    `<instance_geometry url="#g"><bind_material><technique_common>${["red", "grey"]
      .map((name) => `<instance_material symbol="${name}" target="#${name}-m"/>`)
      .join("")}</technique_common></bind_material></instance_geometry>`,
  );

// An .obj with two materials in its .mtl, and one whose .mtl is missing.
const paint = (name, some) => [
  `usemtl ${name}`,
  ...some.map((face) => `f ${face.map((c) => c + 1).join(" ")}`),
];
const paintedObj = (library) =>
  [
    `mtllib ${library}`,
    ...corners.map((corner) => `v ${corner.join(" ")}`),
    ...paint("red", faces.slice(0, 2)),
    ...paint("grey", faces.slice(2)),
  ].join("\n");
const library = "newmtl red\nKd 1 0 0\nnewmtl grey\nKd 0.5 0.5 0.5\nmap_Kd nowhere.png\n";

// The same tetrahedron with a texture: a picture of two by two pixels, of which the coordinates choose the blue one.
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR4nGP4z8DAAMIM/4EAAB/uBfsL2WiLAAAAAElFTkSuQmCC",
  "base64",
);
const texturedObj = [
  "mtllib textured.mtl",
  ...corners.map((corner) => `v ${corner.join(" ")}`),
  "vt 0.25 0.25",
  "usemtl cloth",
  ...faces.map((face) => `f ${face.map((c) => `${c + 1}/1`).join(" ")}`),
].join("\n");
const texturedDae = painted
  .replace(
    "<library_effects>",
    `<library_images><image id="img"><init_from>../textures/cloth.png</init_from></image></library_images><library_effects>`,
  )
  .replace(
    /(<effect id="red-fx"[^>]*><profile_COMMON>)/,
    `$1<newparam sid="surface"><surface type="2D"><init_from>img</init_from></surface></newparam>
     <newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>`,
  )
  .replace(
    /<diffuse><color>1 0 0 1<\/color><\/diffuse>/,
    `<diffuse><texture texture="sampler" texcoord="UV"/></diffuse>`,
  )
  .replace(
    "<vertices",
    `<source id="t"><float_array id="ta" count="2">0.25 0.25</float_array><technique_common>
     <accessor source="#ta" count="1" stride="2"><param name="S" type="float"/><param name="T" type="float"/>
     </accessor></technique_common></source><vertices`,
  )
  .replace(
    /(material="red">\s*<input semantic="VERTEX" source="#v" offset="0"\/>)<p>([^<]*)<\/p>/,
    (_, head, p) =>
      `${head}<input semantic="TEXCOORD" source="#t" offset="1" set="0"/><p>${p
        .split(" ")
        .map((index) => `${index} 0`)
        .join(" ")}</p>`,
  );

// The box of a unit test of the library, which says how collisions are checked.
const box = readFileSync(join(robots, "../tests/robots/box.dae"), "utf8");

const files = {
  "a.stl": stl(),
  "b.obj": obj,
  "c.dae": dae,
  "d.stl": undefined,
  "e.dae": painted,
  "f.obj": paintedObj("f colours.mtl"),
  "g.obj": paintedObj("nowhere.mtl"),
  "h.obj": texturedObj,
  "i.dae": texturedDae,
  "x.dae": box.replace("Z_UP", "X_UP"),
  "y.dae": box.replace("Z_UP", "Y_UP"),
  "z.dae": box,
};
mkdirSync(join(folder, "meshes"));
mkdirSync(join(folder, "textures"));
// A package: files of one folder may name files of another.
writeFileSync(join(folder, "package.xml"), "<package><name>meshes</name></package>");
writeFileSync(join(folder, "textures", "cloth.png"), picture);
writeFileSync(
  join(folder, "meshes", "textured.mtl"),
  "newmtl cloth\nmap_Kd ../textures/cloth.png\n",
);
writeFileSync(join(folder, "meshes", "f colours.mtl"), library);
for (const [name, content] of Object.entries(files)) {
  if (content !== undefined) {
    writeFileSync(join(folder, "meshes", name), content);
  }
}
const inertial = `<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>`;
const links = Object.keys(files).map(
  (name) =>
    `<link name="${name[0]}">${inertial}<visual><geometry><mesh filename="meshes/${name}"/></geometry>
       <material name="blue"><color rgba="0 0 1 1"/></material></visual></link>`,
);
const joints = ["a b", "b c", "c d", "d e", "e f", "f g", "g h", "h i", "i x", "x y", "y z"].map(
  (pair) => {
    const [parent, child] = pair.split(" ");
    return `<joint name="${parent}_${child}" type="revolute"><parent link="${parent}"/><child link="${child}"/>
    <origin xyz="0 0 0.4"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="3"/></joint>`;
  },
);
const robot = join(folder, "meshes.urdf");
writeFileSync(robot, `<robot name="meshes">${links.join("")}${joints.join("")}</robot>`);

const system = await new System("", robot).start();

test("meshes of all formats are loaded, and a missing one is drawn as bones", async () => {
  const page = await openPage(system.url);
  await page.waitForSelector("#stage[data-robot=meshes]");
  await until(page, () => sinew.view.figure !== undefined);
  const shapes = await page.evaluate(() =>
    Object.fromEntries(
      sinew.view.figure.boxes.map(({ link, corners: points }) => {
        const mesh = link.children.find(({ isMesh }) => isMesh);
        const { position } = mesh.geometry.attributes;
        const most = (axis) => Math.max(...points.map((point) => point[axis]));
        const { array } = mesh.geometry.attributes.color;
        const colours = new Set();
        for (let i = 0; i < array.length; i += 3) {
          colours.add([0, 1, 2].map((c) => array[i + c].toFixed(2)).join(" "));
        }
        return [
          link.name,
          {
            triangles: position.count / 3,
            size: [most("x"), most("y"), most("z")],
            colours: [...colours].sort(),
          },
        ];
      }),
    ),
  );
  for (const name of ["a", "b", "c", "e", "f", "g"]) {
    assert.equal(shapes[name].triangles, faces.length, name);
    shapes[name].size.forEach((side) => assert.ok(Math.abs(side - 0.3) < 1e-6, `${name}: ${side}`));
  }
  assert.notEqual(shapes.d?.triangles, faces.length);
  // Meshes without materials have the colour of the URDF; others keep their colours.
  for (const name of ["a", "b", "c", "g"]) {
    assert.deepEqual(shapes[name].colours, ["0.00 0.00 1.00"], name);
  }
  for (const name of ["e", "f"]) {
    assert.deepEqual(shapes[name].colours, ["0.21 0.21 0.21", "1.00 0.00 0.00"], name);
  }
});

async function openRobot() {
  const page = await openPage(system.url);
  await page.waitForSelector("#stage[data-robot=meshes]");
  await until(page, () => sinew.view.figure !== undefined);
  return page;
}

test("textures of .obj and .dae are drawn, found in the package", async () => {
  const page = await openRobot();
  const textures = await page.evaluate(() =>
    Object.fromEntries(
      sinew.view.figure.boxes.map(({ link }) => [
        link.name,
        link.children
          .filter(({ isMesh, material }) => isMesh && material.map)
          .map(({ material: { map }, geometry }) => ({
            file: map.image.src.split("/").slice(-2).join("/"),
            width: map.image.width,
            space: map.colorSpace,
            triangles: geometry.attributes.position.count / 3,
            uv: [...geometry.attributes.uv.array.slice(0, 2)],
          })),
      ]),
    ),
  );
  const cloth = { file: "textures/cloth.png", width: 2, space: "srgb", uv: [0.25, 0.25] };
  assert.deepEqual(textures.h, [{ ...cloth, triangles: faces.length }]);
  assert.deepEqual(textures.i, [{ ...cloth, triangles: 2 }]); // the others are grey
  for (const name of ["a", "b", "c", "e", "f", "g", "x"]) {
    assert.deepEqual(textures[name], [], name);
  }
});

test("a box in millimetres has the same place whatever axis is up, as for collisions", async () => {
  const page = await openRobot();
  const boxes = await page.evaluate(() =>
    sinew.view.figure.boxes.map(({ link, corners: points }) => ({
      name: link.name,
      low: ["x", "y", "z"].map((axis) => Math.min(...points.map((point) => point[axis]))),
      high: ["x", "y", "z"].map((axis) => Math.max(...points.map((point) => point[axis]))),
    })),
  );
  for (const name of ["x", "y", "z"]) {
    const { low, high } = boxes.find((one) => one.name === name);
    [0, 0, 0.05].forEach((side, i) => assert.ok(Math.abs(low[i] - side) < 1e-6, `${name}: ${low}`));
    [0.1, 0.2, 0.35].forEach((side, i) =>
      assert.ok(Math.abs(high[i] - side) < 1e-6, `${name}: ${high}`),
    );
  }
});

test("a missing mesh is listed with the places where the server searched", async () => {
  const page = await openPage(system.url);
  // A fake answer; the server has its own tests.
  await page.route("**/robot.urdf", async (route) => {
    const answer = await route.fetch();
    const text = await answer.text();
    await route.fulfill({ body: text.replace(`filename=""`, `filename="/mesh/99/d.stl"`) });
  });
  await page.route(/\/mesh\/.*d\.stl$/, (route) =>
    route.fulfill({
      status: 404,
      contentType: "text/plain",
      body: "package://arm/meshes/d.stl: looked in /opt/arm",
    }),
  );
  await page.reload();
  await page.waitForSelector("#stage[data-robot=meshes]");
  await page.locator("#missing summary").getByText("3 files missing").click();
  await page.getByText("package://arm/meshes/d.stl: looked in /opt/arm").waitFor();
  const names = await page.locator("#missing strong").allTextContents();
  assert.deepEqual(names.sort(), ["d.stl", "nowhere.mtl", "nowhere.png"]);
});
