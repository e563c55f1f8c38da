import { signInByPassword } from '../../../infra/testing/browser-product.ts';
import { totpOf } from '../../../infra/testing/totp.ts';
import { addVirtualAuthenticator } from '../../../infra/testing/virtual-authenticator.ts';
import { ann, test } from './fixture.ts';

const secret = Uint8Array.from({ length: 20 }, (_, place) => place * 7);

export function testPasskeyAndTotp(): void {
  test('sign in with a passkey, suggested by the browser or by the button', async ({
    page,
    waitForTitle,
    signOut,
    callAsUser,
  }) => {
    const removeAuthenticator = await addVirtualAuthenticator(page);
    const { options_json: options, code } = await callAsUser('POST', '/auth/passkey/initiate-passkey-registration', {});
    const credential = await page.evaluate(async (json) => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
        ...json,
        rp: { ...json.rp, id: location.hostname },
      });
      const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
      return made.toJSON();
    }, options as PublicKeyCredentialCreationOptionsJSON);
    await callAsUser('POST', '/auth/passkey/register', { credential, code });
    // The authenticator chooses a passkey at once when the browser suggests it, after the first move of the mouse.
    await signOut();
    await page.mouse.move(10, 10);
    await waitForTitle('Projects');
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await signOut();
    // It says that it was used last.
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await waitForTitle('Projects');
    await removeAuthenticator();
  });

  test('ask for the second factor and accept the current code', async ({ page, waitForTitle, signOut, callAsUser }) => {
    await callAsUser('PATCH', '/users/me', { totp_secret_base64: Buffer.from(secret).toString('base64') });
    await signOut();
    await signInByPassword(page, ann);
    await waitForTitle('Two-factor authentication');
    const right = totpOf(secret);
    await page.keyboard.type(right === '000000' ? '111111' : '000000');
    await page.getByText('Incorrect code').waitFor();
    await page.keyboard.type(totpOf(secret));
    await waitForTitle('Projects');
    await callAsUser('PATCH', '/users/me', { totp_secret_base64: null });
  });
}
