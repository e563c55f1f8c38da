// Sets the color scheme before the first paint. A separate file, because the page's CSP forbids inline scripts.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value');
  } catch {}
  const isChosen = chosen === 'light' || chosen === 'dark';
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const root = document.documentElement;
  root.setAttribute('data-mantine-color-scheme', isChosen ? chosen : isDark ? 'dark' : 'light');
  // For the handler pages, which otherwise follow the system.
  if (isChosen) root.setAttribute('data-color-scheme', chosen);
})();
