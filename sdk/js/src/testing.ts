import { createOwnerClient } from './client.ts';
import type { Network } from './network.ts';
import { createMemoryTokenStore } from './token-store/memory.ts';

export type SentRequest = { method: string; url: string; headers: Record<string, string>; body: unknown };
export type FakeAnswer = {
  status?: number;
  json?: unknown;
  text?: string;
  headers?: Record<string, string>;
  /** `fetch` fails without a response. */
  fails?: boolean;
};

/** A network with scripted responses that records requests and pauses and never waits. */
export function fakeNetwork(answer: (request: SentRequest, index: number) => FakeAnswer | Promise<FakeAnswer>) {
  const requests: SentRequest[] = [];
  const pauses: number[] = [];
  const network: Network = {
    fetch: async (url, init) => {
      const headers = Object.fromEntries(new Headers(init.headers).entries());
      const body = typeof init.body === 'string' ? parse(init.body) : undefined;
      const request = { method: init.method ?? 'GET', url, headers, body };
      requests.push(request);
      const given = await answer(request, requests.length - 1);
      if (given.fails) throw new TypeError('fetch failed');
      const type = given.text === undefined ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8';
      return new Response(given.text ?? JSON.stringify(given.json ?? {}), {
        status: given.status ?? 200,
        headers: { 'content-type': type, ...given.headers },
      });
    },
    pause: async (ms) => {
      pauses.push(ms);
    },
    random: () => 0.5,
    now: () => 1_800_000_000_000,
    isOnline: () => true,
  };
  return { network, requests, pauses };
}

/** A known error in the form that the override header requests. */
export function rejection(code: string, status: number, details?: Record<string, unknown>): FakeAnswer {
  return {
    json: { code, ...(details && { details }), error: `text of ${code}` },
    headers: { 'x-stack-known-error': code, 'x-stack-actual-status': String(status) },
  };
}

/** An unsigned JWT that expires `lifeMs` after the fake network's current time. */
export function tokenFor(lifeMs: number, claims: Record<string, unknown> = {}): string {
  const payload = btoa(JSON.stringify({ exp: (1_800_000_000_000 + lifeMs) / 1000, ...claims }));
  return `e30.${payload.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}.c2ln`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return Object.fromEntries(new URLSearchParams(text));
  }
}

/** The client of an owner whose requests get scripted responses. */
export function fakeOwner(answer: (request: SentRequest) => FakeAnswer, isSignedIn = true) {
  const { network, requests } = fakeNetwork(answer);
  const tokenStore = createMemoryTokenStore({
    accessToken: isSignedIn ? tokenFor(600_000) : null,
    refreshToken: isSignedIn ? 'r1' : null,
  });
  const options = { baseUrl: 'http://gate.test', projectId: 'internal', publishableClientKey: 'pck_1' };
  return { client: createOwnerClient({ ...options, tokenStore, network }), requests, tokenStore };
}

/** A user as a response contains it. */
export const sampleUser = (id: string) => ({
  id,
  display_name: 'Ann',
  primary_email: 'ann@example.com',
  primary_email_verified: true,
  primary_email_auth_enabled: true,
  profile_image_url: null,
  signed_up_at_millis: 1_000,
  last_active_at_millis: 2_000,
  has_password: true,
  otp_auth_enabled: false,
  passkey_auth_enabled: false,
  auth_with_email: true,
  requires_totp_mfa: false,
  is_anonymous: false,
  client_metadata: null,
  client_read_only_metadata: null,
  server_metadata: { plan: 'pro' },
  oauth_providers: [],
  selected_team_id: null,
  selected_team: null,
});
