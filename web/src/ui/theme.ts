// Light or dark: follows the system until the user chooses.

export type Theme = "light" | "dark";
const KEY = "sinew.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function chosen(): Theme | undefined {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : undefined;
}

export const theme = (): Theme => chosen() ?? (system.matches ? "dark" : "light");

export function watchTheme(changed: (theme: Theme) => void): void {
  const apply = () => {
    document.documentElement.dataset["theme"] = theme();
    changed(theme());
  };
  system.addEventListener("change", apply);
  addEventListener("sinew-theme", apply);
  apply();
}

export function switchTheme(): void {
  localStorage.setItem(KEY, theme() === "dark" ? "light" : "dark");
  dispatchEvent(new Event("sinew-theme"));
}

/** A colour of the style sheet, for plots and the scene. */
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
