// Sets light or dark before the first paint; a file of its own, since the page's policy allows no inline scripts.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value');
  } catch {}
  const isChosen = chosen === 'light' || chosen === 'dark';
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const root = document.documentElement;
  root.setAttribute('data-mantine-color-scheme', isChosen ? chosen : isDark ? 'dark' : 'light');
  // For the pages of signing in, which follow the system by themselves.
  if (isChosen) root.setAttribute('data-color-scheme', chosen);
})();
