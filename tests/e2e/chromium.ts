/** How the system's Chromium is started; `TSUGI_CHROMIUM` names another executable. */
export const chromium = {
  executablePath: process.env.TSUGI_CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}
