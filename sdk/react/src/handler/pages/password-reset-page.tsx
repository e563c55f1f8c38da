import { useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { useResource } from '../../use-resource.ts';
import { Card, LoadingCard } from '../card.tsx';
import { DeadLinkCard, PasswordResetCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler } from '../context.ts';
import { Button, ErrorNote } from '../controls.tsx';
import { codeFault } from '../error-messages.ts';
import { submitHandler } from '../submit-handler.ts';
import { useNewPassword } from '../use-new-password.tsx';

const title = 'Set a new password';
const next = 'Request a new link on the sign-in page, under “Forgot password?”.';

export function PasswordResetPage() {
  const { t } = useTexts();
  const { url } = useHandler();
  const code = url.searchParams.get('code');
  return code ? (
    <CheckedReset code={code} />
  ) : (
    <DeadLinkCard fault="invalid" next={t('Open it again from the email.')} />
  );
}

/** Checks the code before showing the form; the check does not redeem it. */
function CheckedReset({ code }: { code: string }) {
  const { t } = useTexts();
  const { app } = useHandler();
  const [isDone, setDone] = useState(false);
  const check = useResource(['password reset', code], async () => {
    await app.auth.checkPasswordResetCode(code);
    return true;
  });
  if (isDone) return <PasswordResetCard />;
  const fault = codeFault(check.error);
  if (fault !== null) return <DeadLinkCard fault={fault} next={t(next)} />;
  if (check.error !== undefined) return <UnknownErrorCard error={check.error} />;
  if (check.value === undefined) return <LoadingCard title={t(title)} label={t('Checking your link')} />;
  return <ResetForm code={code} onDone={() => setDone(true)} />;
}

function ResetForm({ code, onDone }: { code: string; onDone: () => void }) {
  const { t, errorText } = useTexts();
  const { app } = useHandler();
  const { password, validate, showRejection, fields } = useNewPassword(t('New password'));
  const reset = useAction(async () => {
    try {
      await app.auth.resetPassword({ code, password });
    } catch (error) {
      showRejection(error);
      return;
    }
    onDone();
  });
  const submit = () => {
    const invalidInput = validate();
    if (invalidInput === null) void reset.run();
    else invalidInput.current?.focus();
  };
  const fault = codeFault(reset.error);
  if (fault !== null) return <DeadLinkCard fault={fault} next={t(next)} />;
  return (
    <Card title={t(title)} lead={t('This signs you out on all devices.')}>
      <form className="gbh-form" noValidate onSubmit={submitHandler(submit)}>
        {reset.error !== undefined && <ErrorNote>{errorText(reset.error)}</ErrorNote>}
        {fields}
        <Button type="submit" isBusy={reset.isRunning}>
          {t('Set new password')}
        </Button>
      </form>
    </Card>
  );
}
