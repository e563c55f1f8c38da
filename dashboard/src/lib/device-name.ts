import { t } from '@lingui/core/macro';

/** A browser and its operating system, null if unknown. */
export function deviceName({ browser, system }: { browser: string | null; system: string | null }): string {
  if (browser === null || system === null) return browser ?? system ?? t`Unknown device`;
  return t`${browser} on ${system}`;
}

/** A device as the server names it, such as `Chrome on Linux`. */
export function translateDevice(name: string): string {
  const [browser = '', system] = name.split(' on ');
  if (system === undefined) return name;
  const known = (part: string) => (part.toLowerCase().startsWith('unknown ') ? null : part);
  return deviceName({ browser: known(browser), system: known(system) });
}
