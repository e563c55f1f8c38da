import type { HandlerApp } from './context.ts';

/** Signs in the waiting CLI as the user of this session. @throws AnswerError for a code that cannot be approved */
export async function approveCliLogin(app: Pick<HandlerApp, 'session' | 'cliLogin'>, loginCode: string): Promise<void> {
  const tokens = await app.session.tokens();
  if (!tokens) throw new Error('Your session has expired. Sign in again, then open the link again.');
  await app.cliLogin.complete({ loginCode, refreshToken: tokens.refreshToken });
}
