/** Prints in light colors, whatever the color scheme of the screen. */
export function printLight(): void {
  const { dataset } = document.documentElement;
  let wasDark = false;
  matchMedia('print').addEventListener('change', ({ matches: isPrinting }) => {
    // Paper prefers light colors, so a scheme that follows the system may be light by now, and turns dark by itself.
    if (isPrinting) wasDark = dataset.mantineColorScheme === 'dark';
    if (wasDark) dataset.mantineColorScheme = isPrinting ? 'light' : 'dark';
  });
}
