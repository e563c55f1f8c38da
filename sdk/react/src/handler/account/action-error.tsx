import { ReauthenticationRequiredError } from '@gatebook/js/errors';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button, ErrorNote } from '../controls.tsx';

type Props = { error: unknown; textOf?: (error: unknown) => string };

/** Why an action failed. Offers to sign in again if the server requires a recent sign-in. */
export function ActionError({ error, textOf }: Props) {
  const { errorText } = useTexts();
  if (error === undefined) return null;
  return (
    <ErrorNote>
      {(textOf ?? errorText)(error)}
      <SignInAgain error={error} />
    </ErrorNote>
  );
}

/** Signs out and returns to this page after sign-in. Renders nothing for other errors. */
export function SignInAgain({ error }: { error: unknown }) {
  const { t, errorText } = useTexts();
  const { app } = useHandler();
  const leave = useAction(async () => {
    await app.auth.signOut();
    await app.redirects.to('signIn');
  });
  if (!(error instanceof ReauthenticationRequiredError)) return null;
  return (
    <span className="gbh-row-actions">
      <Button tone="plain" onClick={() => void leave.run()} isBusy={leave.isRunning}>
        {t('Sign in again')}
      </Button>
      {leave.error !== undefined && errorText(leave.error)}
    </span>
  );
}
