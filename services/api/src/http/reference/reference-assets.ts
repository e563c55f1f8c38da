export const style = `
  .columns { display: grid; grid-template-columns: 18rem minmax(0, 1fr); max-width: 90rem; margin: 0 auto; }
  nav { position: sticky; top: 3.5rem; height: calc(100vh - 3.5rem); overflow: auto; padding: 1rem 1.5rem 2rem; border-right: 1px solid var(--line); font-size: 0.8438rem; }
  nav ul { list-style: none; margin: 0 0 0.5rem; padding: 0 0 0 0.75rem; } nav li a { color: var(--dimmed); text-decoration: none; display: block; padding: 0.125rem 0; }
  nav li a:hover { color: var(--link); } nav .tag { font-weight: 600; color: var(--ink); text-decoration: none; display: block; padding: 0.25rem 0; }
  label { display: block; color: var(--dimmed); font-size: 0.8438rem; }
  input, select, textarea { display: block; width: 100%; margin-top: 0.25rem; padding: 0.375rem 0.5rem; font: inherit; color: var(--ink); background: var(--surface); border: 1px solid light-dark(#8f8b80, #5d6762); border-radius: 5px; }
  textarea { font-family: var(--code); min-height: 8rem; }
  main { padding: 1.5rem 2rem 4rem; max-width: 64rem; }
  #credentials { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem; padding: 1rem;
    background: var(--surface); border: 1px solid var(--line); border-radius: 8px; }
  h2 { margin-top: 3rem; font-size: 1.375rem; } h3 { margin: 0; font-size: 1.0625rem; }
  article { margin: 1rem 0; padding: 1rem 1.25rem; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; }
  article p { margin: 0.5rem 0; overflow-wrap: anywhere; } .access { color: var(--dimmed); font-size: 0.8438rem; }
  .call { padding: 0.375rem 0.625rem; background: var(--sunken); border-radius: 5px; }
  .wide { overflow-x: auto; } table { width: 100%; border-collapse: collapse; font-size: 0.8438rem; }
  th, td { padding: 0.375rem 0.75rem 0.375rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); font-weight: 400; overflow-wrap: break-word; }
  thead th { color: var(--dimmed); border: 0; } td:last-child { min-width: 10rem; }
  summary { cursor: pointer; color: var(--link); padding: 0.25rem 0; } details ul { margin: 0.25rem 0; padding-left: 1.25rem; }
  .try form { display: grid; gap: 0.75rem; margin: 0.5rem 0; } .try pre { margin-top: 0.75rem; max-height: 30rem; overflow: auto; }
  button { justify-self: start; padding: 0.375rem 0.875rem; font: inherit; font-weight: 600; color: #fff; background: #1c7a60; border: 0; border-radius: 5px; cursor: pointer; }
  [hidden] { display: none !important; }
  @media (max-width: 56rem) { .columns { display: block; } nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem; } }
  @media print { nav, .top, #credentials, .try { display: none; } .columns { display: block; } }
`;

/** Filters operations, and sends requests from forms that are made when they are opened. */
export const script = `
  const $ = (selector, from = document) => from.querySelector(selector);
  const entries = [...document.querySelectorAll('nav li')].map((item) => {
    const article = document.getElementById(item.dataset.of);
    return { item, article, text: (article.dataset.method + ' ' + article.dataset.path + ' ' + item.textContent).toLowerCase() };
  });
  const shapes = [...document.querySelectorAll('[id^="shape-"]')];
  const groups = [...document.querySelectorAll('nav .tag')].map((tag) => {
    return { parts: [tag, document.getElementById(tag.hash.slice(1)).parentElement], items: [...tag.nextElementSibling.children] };
  });
  $('#filter').addEventListener('input', ({ target }) => {
    const words = target.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    for (const { item, article, text } of entries) {
      const isShown = words.every((word) => text.includes(word));
      item.hidden = article.hidden = !isShown;
      if (isShown) count += 1;
    }
    for (const { parts, items } of groups) for (const part of parts) part.hidden = items.every(({ hidden }) => hidden);
    for (const shape of shapes) shape.hidden = !words.every((word) => shape.id.includes(word));
    $('#count').textContent = words.length === 0 ? '' : count === 1 ? '1 operation' : count + ' operations';
  });

  const credentials = $('#credentials');
  const stored = JSON.parse(sessionStorage.getItem('gatebook-reference') ?? '{}');
  for (const [name, value] of Object.entries(stored)) if (credentials.elements[name]) credentials.elements[name].value = value;
  credentials.addEventListener('input', () => {
    sessionStorage.setItem('gatebook-reference', JSON.stringify(Object.fromEntries(new FormData(credentials))));
  });
  credentials.addEventListener('submit', (event) => event.preventDefault());
  const keyHeaders = { client: 'x-stack-publishable-client-key', server: 'x-stack-secret-server-key', admin: 'x-stack-super-secret-admin-key' };
  const headers = () => {
    const { project, access, key, token } = Object.fromEntries(new FormData(credentials));
    return {
      'x-stack-access-type': access,
      ...(project && { 'x-stack-project-id': project }),
      ...(key && { [keyHeaders[access]]: key }),
      ...(token && { 'x-stack-access-token': token }),
    };
  };

  const field = (form, name, label, value = '', tag = 'input') => {
    const input = Object.assign(document.createElement(tag), { name, value, autocomplete: 'off', spellcheck: false });
    const around = document.createElement('label');
    around.append(label, input);
    form.append(around);
  };
  const makeForm = (details, { method, path, body }) => {
    const form = document.createElement('form');
    const names = [...path.matchAll(/\\{(\\w+)\\}/g)].map(([, name]) => name);
    for (const name of names) field(form, name, name);
    field(form, ' query', 'Query', '');
    if (body) field(form, ' body', 'Body', body, 'textarea');
    form.append(Object.assign(document.createElement('button'), { textContent: 'Send' }));
    const output = Object.assign(document.createElement('pre'), { tabIndex: 0, hidden: true });
    output.setAttribute('role', 'status');
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const values = Object.fromEntries(new FormData(form));
      const filled = path.replace(/\\{(\\w+)\\}/g, (_, name) => encodeURIComponent(values[name]));
      const query = values[' query'].replace(/^\\?/, '');
      output.hidden = false;
      output.textContent = 'Sending …';
      try {
        const answer = await fetch(filled + (query && '?' + query), {
          method,
          credentials: 'omit',
          headers: { ...headers(), ...(values[' body'] !== undefined && { 'content-type': 'application/json' }) },
          ...(values[' body'] !== undefined && { body: values[' body'] }),
        });
        const text = await answer.text();
        let shown = text;
        try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch {}
        output.textContent = answer.status + ' ' + answer.statusText + '\\n\\n' + shown;
      } catch (error) {
        output.textContent = String(error);
      }
    });
    details.append(form, output);
  };
  for (const details of document.querySelectorAll('.try')) {
    details.addEventListener('toggle', () => makeForm(details, details.closest('article').dataset), { once: true });
  }
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    $('#filter').focus();
  });
`;
