// Rows of joints: limits, names, and why a slider cannot be moved.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { enter, openCockpit, openPage, reaches, System, take, until } from "./rig.mjs";

const folder = mkdtempSync(join(tmpdir(), "sinew-joints-"));
after(() => rmSync(folder, { recursive: true, force: true }));

// A crane with long names. Where soft limits are given, they are tighter than the hard ones.
const names = ["turntable_rotation_left", "boom_elevation_cylinder", "telescope_extension"];
const soft = [`soft_lower_limit="-0.5"`, `soft_lower_limit="-0.25" soft_upper_limit="0.75"`, ""];
const body = `<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>`;
const links = [0, 1, 2, 3].map((i) => `<link name="link${i}">${body}</link>`);
const joints = names.map(
  (name, i) => `<joint name="${name}" type="${i === 2 ? "prismatic" : "revolute"}">
    <parent link="link${i}"/><child link="link${i + 1}"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 ${i === 0 ? 0 : 1} ${i === 0 ? 1 : 0}"/>
    <limit lower="-1" upper="1" effort="50" velocity="1"/>
    <safety_controller ${soft[i]} k_velocity="0"/></joint>`,
);
const crane = join(folder, "crane.urdf");
writeFileSync(crane, `<robot name="crane">${links.join("")}${joints.join("")}</robot>`);

const system = await new System().start();
const craneSystem = await new System("", crane).start();

test("limits are those that the server enforces, and joints have readable names at 1280", async () => {
  const page = await openPage(craneSystem.url, { viewport: { width: 1280, height: 720 } });
  await page.waitForSelector("#stage[data-robot=crane]");
  await page.waitForSelector(`input[data-joint=${names[0]}]`);
  const rows = await page.evaluate(() =>
    [...document.querySelectorAll(".joint")].map((row) => {
      const range = row.querySelector("input[type=range]");
      const name = row.querySelector(".name");
      return {
        limits: [Number(range.min), Number(range.max)],
        labels: [...row.querySelectorAll(".limit")].map((label) => label.textContent),
        isWhole: name.scrollWidth <= name.clientWidth && name.scrollHeight <= name.clientHeight + 1,
        name: name.textContent,
      };
    }),
  );
  assert.deepEqual(
    rows.map((row) => row.limits),
    [
      [-0.5, 1],
      [-0.25, 0.75],
      [-1, 1],
    ],
  );
  assert.deepEqual(rows[1].labels, ["-0.25", "0.75"]);
  rows.forEach((row) => assert.ok(row.isWhole, `${row.name} is cut`));
  await page.click("#unit");
  await until(page, () => document.querySelectorAll(".limit")[2].textContent === "-14");
  assert.deepEqual(page.problems, []);
});

test("a slider that cannot be moved says what to do", async () => {
  const page = await openCockpit(system.url);
  const box = await page.locator("input[data-joint=leg1_joint2]").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const limb = page.locator(".limb[data-limb=leg1]");
  await limb.getByText("Take leg1 to move it.").waitFor();
  await limb.locator("header button.wanted").click();
  await page.waitForSelector("input[data-joint=leg1_joint2]:enabled");
  assert.equal(await limb.locator("header button.wanted").count(), 0);
});

test("text that is not a number is rejected with a hint", async () => {
  const page = await openCockpit(system.url);
  await take(page, "leg2");
  await enter(page, "leg2_joint1", 0.2);
  await reaches(page, "leg2_joint1", 0.2, 1e-3);
  const field = page.getByLabel("leg2_joint1, value");
  const limb = page.locator(".limb[data-limb=leg2]");
  for (const nonsense of ["a lot", "1.2.3", ""]) {
    await enter(page, "leg2_joint1", nonsense);
    await limb.getByText(`“${nonsense}” is not a number`).waitFor();
    assert.equal(await field.inputValue(), "0.200");
  }
  await enter(page, "leg2_joint1", 99);
  await limb.getByText("The limit is 0.600 rad.").waitFor();
  assert.equal(await field.inputValue(), "0.600");
});

test("a focused field follows another browser until something is typed", async () => {
  const page = await openCockpit(system.url);
  await take(page, "head");
  const field = page.getByLabel("head_joint1, value");
  await field.focus();
  const other = await openPage(system.url);
  await other.waitForSelector("input[data-joint=head_joint1]:enabled");
  await enter(other, "head_joint1", 0.2);
  await reaches(page, "head_joint1", 0.2, 1e-3);
  await until(page, () => document.activeElement.value === "0.200");
  await field.fill("0.1");
  await enter(other, "head_joint1", 0.15);
  await reaches(page, "head_joint1", 0.15, 1e-3);
  assert.equal(await field.inputValue(), "0.1", "what is being typed stays");
  await field.press("Escape");
  await until(
    page,
    () => document.querySelector("[aria-label='head_joint1, value']").value === "0.150",
  );
});

test("every button has a tooltip", async () => {
  const page = await openCockpit(system.url);
  const titles = await page.evaluate(() => {
    document.querySelector("#tab-control").click();
    const list = [
      "#stop",
      "#record",
      ".limb header button",
      ".cell",
      ".switch",
      ".owners th[title]",
    ];
    return list.map((selector) =>
      [...document.querySelectorAll(selector)].map((element) => element.title),
    );
  });
  for (const group of titles) {
    assert.ok(group.length > 0 && group.every((title) => title.length > 10), JSON.stringify(group));
    assert.equal(new Set(group).size, group.length, "tooltips differ");
  }
});
