// The Frames page: a user with a task, or a wizard with the list of packages; the same page is
// either, as the first view says.
import { begin } from "/static/rooms.js";
import { sitAsUser } from "/static/user.js";
import { sitAsWizard } from "/static/wizard.js";

let draw = null;
const act = begin((view) => {
  if (draw === null) {
    document.body.classList.add(`as-${view.role}`);
    draw = (view.role === "user" ? sitAsUser : sitAsWizard)((type, payload) => act(type, payload));
  }
  draw(view.game);
});
