/** Required before the app (`-r`): prints what its dialogs say and answers with the second button. */
const { dialog } = require('electron')

dialog.showMessageBox = async (...args) => {
  const { message, detail } = args.at(-1)
  console.log(`${message}\n${detail}`)
  return { response: 1, checkboxChecked: false }
}
dialog.showErrorBox = (title, content) => console.log(`${title}\n${content}`)

// The app is not to take this file for a manuscript.
const at = process.argv.indexOf('-r')
if (at >= 0) process.argv.splice(at, 2)
