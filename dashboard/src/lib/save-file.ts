const KEPT_MS = 60_000;

/** Downloads a value as a JSON file. */
export function saveJson(name: string, value: unknown): void {
  saveBlob(name, new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }));
}

/** Downloads a file that the browser already has. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers read the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
