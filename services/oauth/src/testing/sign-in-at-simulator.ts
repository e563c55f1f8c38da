/**
 * Goes through the simulator's page as a person without scripts does. `cookies` are those of a browser, a new one's
 * when left out.
 * @returns where the browser is sent after it
 */
export async function signInAtSimulator(
  authorizationUrl: URL,
  person: { email: string; name: string } | 'deny',
  cookies = new Map<string, string>(),
): Promise<URL> {
  const simulator = authorizationUrl.origin;

  async function go(url: URL, form?: URLSearchParams): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      headers: { cookie },
      body: form ?? null,
      redirect: 'manual',
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  }

  let page = authorizationUrl;
  let response = await go(page);
  for (;;) {
    const location = response.headers.get('location');
    if (location === null) break;
    page = new URL(location, page);
    if (page.origin !== simulator) return page;
    response = await go(page);
  }
  if (response.status !== 200) throw new Error(`the simulator answers ${response.status}: ${await response.text()}`);
  const answer = person === 'deny' ? { answer: 'deny' } : { ...person, answer: 'allow' };
  response = await go(page, new URLSearchParams(answer));
  for (;;) {
    const location = response.headers.get('location');
    if (location === null) throw new Error(`the simulator answers ${response.status}: ${await response.text()}`);
    page = new URL(location, page);
    if (page.origin !== simulator) return page;
    response = await go(page);
  }
}
