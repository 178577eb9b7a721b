package text

// zhRepo is the Chinese of backups, the trash and the library's own files (repo/backup*.go, repo/trash.go, schema/tracked.go).
var zhRepo = map[string]string{
	// addresses
	"%q cannot be the name of a backup":                                              "%q 不能作备份的名字",
	"use letters, digits, - and _":                                                   "请只用文字、数字、- 和 _",
	"%q cannot be the address of a backup":                                           "%q 不能作备份的地址",
	"name a git address or a folder":                                                 "请给出 git 地址或文件夹",
	"a file:// address has three slashes before the path: file:///backups/novel.git": "file:// 地址的路径前有三条斜线：file:///backups/novel.git",
	"%s is the library itself":                                                       "%s 就是书库本身",
	"name another folder, best on another disk":                                      "请换一个文件夹，最好在另一块盘上",
	"there is a remote %s already: %s":                                               "已经有远端 %s：%s",
	"choose another name, or change it with: git remote set-url %s ADDRESS":          "请换个名字，或用 git remote set-url %s 地址 修改",
	"the folder %s is no git repository that could be a backup":                      "文件夹 %s 不是可以作备份的 git 仓库",
	"%s is a repository with a worktree; a backup is a bare one":                     "%s 是带工作树的仓库；备份要用裸仓库",
	"name an empty or new folder":                                                    "请给出空的或新的文件夹",
	"the folder %s cannot be used as a backup":                                       "文件夹 %s 不能作备份",
	"%s is a folder inside the git repository %s, not one itself":                    "%s 只是 git 仓库 %s 里的一个文件夹，自己不是仓库",
	"the backup %s (%s) can be reached only with a git program":                      "备份 %s（%s）要有 git 程序才能到达",
	"install git, or add a folder as a backup: git novel backup add NAME FOLDER":     "请安装 git，或用文件夹作备份：git novel backup add 名字 文件夹",

	// pushing
	"the backup %s cannot be reached (%s)":                                           "备份 %s 无法到达（%s）",
	"what is committed is safe here; try `git novel backup run` again later":         "已提交的都在本地，没有丢；请稍后再运行 `git novel backup run`",
	"the backup %s did not take the push":                                            "备份 %s 没有接受推送",
	"what is committed is safe here; see what the backup has with: git ls-remote %s": "已提交的都在本地，没有丢；用 git ls-remote %s 看看备份里有什么",
	"the backup holds this tag at %s; it is left there":                              "备份里这个标签在 %s，保持不动",
	"rejected: the backup has %s, which is not in this history":                      "被拒绝：备份里是 %s，不在本地历史中",
	"rejected: the branch is checked out there":                                      "被拒绝：对方正检出着这个分支",
	"the backup holds commits that are not here, and a backup is never forced":       "备份里有本地没有的提交，而备份从不强推",
	"look at both histories; another copy of the library may have pushed":            "请对照两边的历史；可能是书库的另一份副本推送过",
	"not pushed":                "未推送",
	"the backup has %s, not %s": "备份里是 %s，不是 %s",
	"the backup %s reports something else than what was pushed": "备份 %s 报告的内容与推送的不一致",
	"the backup %s cannot be cloned":                            "备份 %s 无法克隆",
	"the tag object %s cannot be read":                          "标签对象 %s 无法读取",

	// trash, tracked files
	"a branch is called trash, so no trash branch can be made": "有个分支名叫 trash，所以建不了回收分支",
	"give it another name first: git branch -m trash NAME":     "请先给它改名：git branch -m trash 新名",
	"`git novel recover` brings the last good version back":    "用 `git novel recover` 恢复最近的完好版本",
	"holds no list of summaries":                               "里面没有摘要列表",
	"%s does not hold what it must":                            "%s 的内容不合要求",
}
