import { expect, test } from 'vitest';
import { productionModeFaults } from './production-mode.ts';

const faultsOf = (...domains: string[]) =>
  productionModeFaults('p', { allowLocalhost: false, domains: domains.map((domain) => ({ domain })) }).map(
    ({ message }) => message,
  );

test('a project with only HTTPS domains has no production mode faults', () => {
  expect(faultsOf('https://example.com', 'https://app.example.com/handler')).toEqual([]);
  expect(faultsOf()).toEqual([]);
});

test('allowing localhost is the first production mode fault, with the page to fix it', () => {
  const faults = productionModeFaults('p1', { allowLocalhost: true, domains: [{ domain: 'http://example.com' }] });
  expect(faults).toEqual([
    {
      message: "Localhost is not allowed in production mode, turn off 'Allow localhost' in project settings",
      relativeFixUrl: '/projects/p1/domains',
    },
    { message: 'Trusted domains should be HTTPS', relativeFixUrl: '/projects/p1/domains' },
  ]);
});

test.each([
  ['not a url', 'Trusted domain is not a valid URL: not a url'],
  ['http://localhost:3000', 'Localhost domains are not allowed to be trusted in production mode'],
  ['https://app.localhost', 'Localhost domains are not allowed to be trusted in production mode'],
  ['https://127.0.0.1', 'Localhost domains are not allowed to be trusted in production mode'],
  ['https://192.168.1.4', 'Direct IPs are not valid for trusted domains in production mode'],
  ['http://example.com', 'Trusted domains should be HTTPS'],
])('%s', (domain, message) => {
  expect(faultsOf(domain)).toEqual([message]);
});
