import { errorText } from '@gatebook/js/error-text';
import { ReauthenticationRequiredError } from '@gatebook/js/errors';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button, ErrorNote } from '../controls.tsx';

type Props = { error: unknown; textOf?: (error: unknown) => string };

/** Why a change was not made; nothing without an error. Offers to sign in again where that is all it takes. */
export function Failure({ error, textOf = errorText }: Props) {
  if (error === undefined) return null;
  return (
    <ErrorNote>
      {textOf(error)}
      <SignInAgain error={error} />
    </ErrorNote>
  );
}

/** Ends the session, and comes back to this page from the sign-in. Nothing for an error of another kind. */
export function SignInAgain({ error }: { error: unknown }) {
  const { app } = useHandler();
  const leave = useAction(async () => {
    await app.auth.signOut();
    await app.redirects.to('signIn');
  });
  if (!(error instanceof ReauthenticationRequiredError)) return null;
  return (
    <span className="gbh-row-actions">
      <Button tone="plain" onClick={() => void leave.run()} isBusy={leave.isRunning}>
        Sign in again
      </Button>
      {leave.error !== undefined && errorText(leave.error)}
    </span>
  );
}
