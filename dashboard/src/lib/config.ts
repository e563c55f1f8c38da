/** What the server tells its dashboard (`/dashboard/config.json`). */
export type DashboardConfig = {
  apiUrl: string;
  projectId: string;
  publishableClientKey: string;
  version: string;
};

/** @throws Error when the server cannot be reached or answers something else */
export async function loadConfig(fetchIt: (url: string) => Promise<Response>): Promise<DashboardConfig> {
  const response = await fetchIt('/dashboard/config.json');
  if (!response.ok)
    throw new Error(`The server answered ${response.status} when asked for the dashboard's configuration.`);
  const body = await response.json();
  return {
    apiUrl: body.api_url,
    projectId: body.project_id,
    publishableClientKey: body.publishable_client_key,
    version: body.version,
  };
}
