/** The dashboard's configuration, served at `/dashboard/config.json`. */
export type DashboardConfig = {
  apiUrl: string;
  projectId: string;
  publishableClientKey: string;
  version: string;
  /** Nobody can sign in before the first owner was created. */
  isSetupRequired: boolean;
  /** Whether emails are kept at `/inbox` instead of being sent. */
  hasInbox: boolean;
};

/** @throws Error when the server is unreachable or responds with an error */
export async function loadConfig(fetchUrl: (url: string) => Promise<Response>): Promise<DashboardConfig> {
  const response = await fetchUrl('/dashboard/config.json');
  if (!response.ok) throw new Error(`The dashboard configuration could not be loaded (HTTP ${response.status}).`);
  const body = await response.json();
  return {
    apiUrl: body.api_url,
    projectId: body.project_id,
    publishableClientKey: body.publishable_client_key,
    version: body.version,
    isSetupRequired: body.is_setup_required,
    hasInbox: body.has_inbox,
  };
}
