import assert from "node:assert/strict";
import { test } from "node:test";
import { openCockpit, System, until } from "./rig.mjs";

const system = await new System().start();

async function openSettings(component) {
  const page = await openCockpit(system.url);
  await page.click("#tab-system");
  await page.getByLabel("Component", { exact: true }).selectOption(component);
  return page;
}

const value = (page, component, property) =>
  page.evaluate(
    ([name, wanted]) =>
      sinew.cockpit.components
        .find((entry) => entry.name === name)
        .properties.find((entry) => entry.name === wanted).value,
    [component, property],
  );

/** The program reports this value. */
const becomes = (page, component, property, expected) =>
  until(
    page,
    ([name, wanted, goal]) =>
      sinew.cockpit.components
        .find((entry) => entry.name === name)
        .properties.find((entry) => entry.name === wanted).value === goal,
    [component, property, expected],
  );

async function type(page, label, text) {
  const field = page.getByLabel(label);
  await field.fill(text);
  await field.press("Enter");
}

test("a live setting is changed in place, and a refused value has its reason", async () => {
  const page = await openSettings("aggregator");
  await type(page, "aggregator.reference_timeout", "0.8");
  await becomes(page, "aggregator", "reference_timeout", 0.8);
  await type(page, "aggregator.reference_timeout", "1000");
  const error = page.locator(".settings [role=alert]:visible");
  await error.waitFor();
  assert.match(await error.textContent(), /60/); // the highest value
  assert.equal(await value(page, "aggregator", "reference_timeout"), 0.8);
  await type(page, "aggregator.reference_timeout", "soon");
  await page.getByText("“soon” is not a number").waitFor();
  await type(page, "aggregator.reference_timeout", "0.5");
  await becomes(page, "aggregator", "reference_timeout", 0.5);
  await error.waitFor({ state: "detached" }).catch(() => undefined);
  assert.equal(await page.locator(".settings [role=alert]:visible").count(), 0);
  assert.deepEqual(page.problems, []);
});

test("a setting that is not live restarts its component, after a question", async () => {
  const page = await openSettings("follow");
  await type(page, "follow.activation_delay", "0.5");
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByText("not set: the component was not restarted").waitFor();
  await type(page, "follow.activation_delay", "0.75");
  await page.getByRole("alertdialog").getByRole("button", { name: "Restart" }).click();
  await becomes(page, "follow", "activation_delay", 0.75);
  await until(
    page,
    () => sinew.cockpit.components.find(({ name }) => name === "follow").state === "running",
  );
});
