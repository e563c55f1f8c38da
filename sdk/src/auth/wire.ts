/** Shapes of the sign-in endpoints, as the contract names them. */
export type SignInView = { access_token: string; refresh_token: string; user_id: string; is_new_user: boolean };
export type CodeBody = { code: string };
export type SendResetCode = { email: string; callback_url: string };
export type PasswordReset = { code: string; password: string };
export type SendSignInCode = { email: string; callback_url: string };
export type SignInCodeSent = { nonce: string };
export type SecondFactor = { code: string; type: 'totp'; totp: string };
export type CliLoginStart = { expires_in_millis?: number };
export type CliLoginView = { polling_code: string; login_code: string; expires_at: string };
export type CliLoginComplete = { login_code: string; refresh_token: string };
export type CliLoginPoll = { polling_code: string };
export type CliLoginState = { status: 'waiting' | 'expired' | 'used' };
export type CliLoginSuccess = { status: 'success'; refresh_token: string };
