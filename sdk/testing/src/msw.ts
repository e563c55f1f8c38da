import { type MockGatebook, mockGatebook } from './mock.ts';

type Resolver = (info: { request: Request }) => Promise<Response>;

/** For `setupServer` and `setupWorker`, with `http` of `msw`. Handlers answer the whole API, at any origin. */
export const mswHandlers = <Handler>(
  http: { all(path: string, resolver: Resolver): Handler },
  mock: Pick<MockGatebook, 'fetch'> = mockGatebook(),
): Handler[] => [http.all('*/api/v1/*', ({ request }) => mock.fetch(request))];
