"""The project's files: those that git knows, and in a tree without git (a release's archive) all but builds."""
import fnmatch
import os
import subprocess


def listed(*patterns):
    """Paths from the current folder, which is the tree's root; of files whose names match one of the patterns, or all."""
    found = subprocess.run(["git", "-c", f"safe.directory={os.getcwd()}", "ls-files", "--cached", "--others", "--exclude-standard"],
                           capture_output=True, text=True, check=False)
    if found.returncode == 0:
        paths = found.stdout.split("\n")
    else:
        paths = []
        for folder, folders, files in os.walk("."):
            folders[:] = [f for f in folders if f not in (".git", "__pycache__") and not (folder == "." and f.startswith("build"))]
            paths += [os.path.join(folder, name)[2:] for name in files]
    return sorted({p for p in paths if os.path.isfile(p) and (not patterns or any(fnmatch.fnmatch(p, q) for q in patterns))})
