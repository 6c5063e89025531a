// Creates the parts of the page and lays them out.
import "uplot/dist/uPlot.min.css";
import "./style/index.css";
import { CalibrateCard } from "./calibrate/calibrate_card";
import { CurvesPanel } from "./curves/curves_panel";
import { PlotsArea } from "./curves/plots_area";
import { Connection } from "./panels/connection";
import { ControlPanel } from "./panels/control";
import { FallBanner } from "./panels/fall";
import { HealthCard } from "./panels/health";
import { IdentPanel } from "./panels/ident";
import { JointsPanel } from "./panels/joints";
import { LogPanel } from "./panels/log";
import { MoveBasePanel } from "./panels/move_base";
import { MovementsPanel } from "./panels/movements";
import { OverloadNote } from "./panels/overload";
import { PlotsPanel } from "./panels/plots";
import { RecorderButton } from "./panels/recorder";
import { SettingsCard } from "./panels/settings";
import { StopPanel } from "./panels/stop";
import { TimingPanel } from "./panels/timing";
import { ToolPanel } from "./panels/tool";
import { ToolMotionPanel } from "./panels/tool_motion";
import { Units } from "./panels/units";
import { WalkPanel } from "./panels/walk";
import { WorldPanel } from "./panels/world";
import { PlaybackBar } from "./playback/playback_bar";
import { RecordingsPanel } from "./playback/recordings";
import { SetupPanel } from "./setup/setup_panel";
import { Cockpit } from "./system/cockpit";
import { byId, h, ICONS, icon, setText } from "./ui/dom";
import { Tabs } from "./ui/tabs";
import { switchTheme, watchTheme } from "./ui/theme";
import { RobotView } from "./view/robot_view";

const NOTICE_MS = 8000;

/** Show a message for a few seconds. A repeated message replaces the previous one. */
function notice(text: string): void {
  const box = byId("toasts");
  const same = [...box.children].find((toast) => toast.textContent === text);
  same?.remove();
  const toast = h("div", { class: "toast" }, text);
  box.append(toast);
  while (box.childElementCount > 4) {
    box.firstElementChild!.remove();
  }
  setTimeout(() => toast.remove(), NOTICE_MS);
}

function main(): void {
  const cockpit = Cockpit.connect(location.host, location.protocol === "https:");
  cockpit.onNotice.on(notice);

  // The stop comes first, so that it works even if another part fails.
  new StopPanel(cockpit);
  new Connection(cockpit);
  new OverloadNote(cockpit);
  new RecorderButton(cockpit);
  new PlaybackBar(cockpit);
  new FallBanner(cockpit);

  const announce = (text: string) => setText(byId("announcer"), text);
  const view = new RobotView(cockpit, announce);
  new MoveBasePanel(cockpit, view.moveBase);
  new WorldPanel(view.collision);
  new ToolMotionPanel(cockpit, view.toolMove);
  const units = new Units();
  const joints = new JointsPanel(cockpit, units);
  const control = new ControlPanel(cockpit);
  const movements = new MovementsPanel(cockpit);
  const tool = new ToolPanel(cockpit, view, movements.movements);
  const { jog } = tool;
  const { walking } = new WalkPanel(cockpit, () => jog.isUsed);
  const plots = new PlotsPanel(cockpit, units);
  const curves = new CurvesPanel(cockpit, units);
  const plotsArea = new PlotsArea([
    { name: "Joint", element: plots.element },
    { name: "Any topic", element: curves.element },
  ]);
  const health = new HealthCard(cockpit);
  const ident = new IdentPanel(cockpit);
  const calibrate = new CalibrateCard(cockpit);
  const servos = h("div", { class: "panel" }, health.element, calibrate.element, ident.element);
  const setup = new SetupPanel(cockpit, movements.movements);
  const timing = new TimingPanel(cockpit);
  const settings = h("div", { class: "panel" }, new SettingsCard(cockpit).element);
  const system = h("div", {}, settings, timing.element);
  const log = new LogPanel(cockpit);
  const recordings = new RecordingsPanel(cockpit);
  const plotsTab = h("div", { class: "plots-tab" });
  const tabs = new Tabs(byId("tabs"), byId("panels"), [
    { name: "Joints", panel: joints.element },
    { name: "Tool", panel: tool.element, hidden: () => jog.release() },
    { name: "Control", panel: control.element },
    { name: "Movements", panel: movements.element, shown: () => movements.shown() },
    { name: "Plots", panel: plotsTab },
    { name: "Servos", panel: servos, shown: () => ident.shown() },
    { name: "Setup", panel: setup.element, shown: () => setup.shown() },
    { name: "System", panel: system, shown: () => timing.shown() },
    { name: "Log", panel: log.element, shown: () => log.shown() },
    { name: "Recordings", panel: recordings.element, shown: () => void recordings.shown() },
  ]);

  // On a wide page the plots are below the robot, otherwise in a tab.
  const wide = matchMedia("(min-width: 1100px)");
  const placePlots = () => {
    (wide.matches ? byId("dock") : plotsTab).append(plotsArea.element);
    tabs.setVisible("Plots", !wide.matches);
  };
  wide.addEventListener("change", placePlots);
  placePlots();
  joints.onPlot = (joint) => {
    plots.show(joint);
    plotsArea.show("Joint");
    if (!wide.matches) {
      tabs.select("Plots");
    }
  };

  health.onBad = () => tabs.setCount("Servos", health.bad);
  log.onUnseen = () => tabs.setCount("Log", log.unseen);
  const showTabs = () => {
    tabs.setVisible("Control", cockpit.roles.controllers.length > 0);
    tabs.setVisible("Tool", view.toolMove.tools.list.length > 0);
    tabs.setVisible("Movements", cockpit.roles.movements !== undefined);
    tabs.setVisible("Setup", setup.setup.isPossible);
    const { ident: identifies, health: reports } = cockpit.roles;
    tabs.setVisible("Servos", identifies !== undefined || reports !== undefined);
  };
  cockpit.onRoles.on(showTabs);
  view.toolMove.tools.onChange.on(showTabs);
  showTabs();

  const themeButton = byId("theme");
  themeButton.addEventListener("click", switchTheme);
  watchTheme((theme) => {
    themeButton.replaceChildren(icon(theme === "dark" ? ICONS.sun : ICONS.moon));
    themeButton.title = theme === "dark" ? "Light colours" : "Dark colours";
    themeButton.setAttribute("aria-label", themeButton.title);
  });

  cockpit.client.start();
  // For debugging and for tests.
  Object.assign(globalThis, {
    sinew: { cockpit, view, plots, curves, walking, jogging: jog.jogging },
  });
}

main();
